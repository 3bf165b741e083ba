//! The command line of packs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum PackCommand {
    /// Create a starter pack.
    New {
        /// Name of the pack and of its folder.
        name: String,
    },
    /// Check packs and report every error with its location.
    Check {
        /// Pack folders. [default: those of --pack, else the built-in pack]
        folders: Vec<PathBuf>,
    },
    /// Print the documentation page for an error code.
    #[command(
        after_help = "Examples:\n  brain pack explain P0101   what the code means and what to do about it\n  brain pack explain         every code with its title"
    )]
    Explain {
        /// The code. [default: list all codes]
        code: Option<String>,
    },
    /// Run a pack's corpus and scenarios.
    Test {
        /// Pack folders. [default: those of --pack, else the built-in pack]
        folders: Vec<PathBuf>,
        /// Only scenarios whose name contains this text.
        #[arg(long)]
        only: Option<String>,
    },
    /// Generate documentation: tools, playbooks, record types, diagrams.
    #[command(
        after_help = "Examples:\n  brain pack docs                          the built-in pack, as Markdown\n  brain pack docs shop --html -o shop.html one self-contained page\n  brain pack docs shop billing -o site     one file per pack"
    )]
    Docs(DocsArgs),
    /// Print JSON Schemas of pack files, for editors.
    #[command(
        after_help = "Kinds: pack, record, tools, playbook, corpus, scenario\n\nExamples:\n  brain pack schema tools\n  brain pack schema --all -o .brain/schemas\n\nA pack made by `brain pack new` already has them, and each file begins with the line that editors look for:\n  # yaml-language-server: $schema=../.brain/schemas/tools.json"
    )]
    Schema(SchemaArgs),
    /// Create a pack from another format.
    #[command(subcommand)]
    Import(ImportCommand),
}

#[derive(Subcommand)]
pub(crate) enum ImportCommand {
    /// Import an action registry, or a list of tools with schemas: JSON or YAML.
    #[command(
        after_help = "Takes one action, a list of them, {\"actions\": [...]}, or {\"tools\": [{\"name\", \"description\", \"input_schema\"}]}. Anything that a pack cannot express is listed; nothing is dropped silently.\n\nExamples:\n  brain pack import registry actions.json\n  brain pack import registry tools.registry.json -o packs/desk"
    )]
    Registry(ImportRegistryArgs),
    /// Import playbooks with verbs and ${slots}, or macros (`kind: macro`): YAML.
    #[command(
        after_help = "Examples:\n  brain pack import playbook setup.playbook.yaml macros/*.yaml -o packs/funds\n  brain pack import playbook macros.yaml --into packs/funds\n\nSteps that use unknown tools get a stub for each: a job for workers, in tools/DOMAIN_imported.yaml."
    )]
    Playbook(ImportPlaybookArgs),
    /// Import decisions: DMN 1.1 to 1.5, as XML.
    #[command(
        after_help = "Examples:\n  brain pack import dmn loans.dmn -o packs/loans\n  brain pack import dmn fees.dmn rates.dmn --into packs/loans\n\nA decision table or expression becomes a tool. A decision that depends on others also becomes a playbook that evaluates them first. A decision with an unsupported part is skipped, and each such part is reported with its location."
    )]
    Dmn(ImportDmnArgs),
}

#[derive(Args)]
pub(crate) struct ImportRegistryArgs {
    /// The registry.
    pub(crate) file: PathBuf,
    /// The folder of the new pack. [default: the name of the file]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write into a folder that is not empty.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct ImportPlaybookArgs {
    /// The playbooks and macros.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The folder of the new pack. [default: the name of the first file]
    #[arg(short, long, value_name = "DIR", conflicts_with = "into")]
    pub(crate) output: Option<PathBuf>,
    /// Existing pack to add them to.
    #[arg(long, value_name = "PACK")]
    pub(crate) into: Option<PathBuf>,
    /// Write into a folder that is not empty, or overwrite files of the pack.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct ImportDmnArgs {
    /// The DMN files.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The folder of the new pack. [default: the name of the first file]
    #[arg(short, long, value_name = "DIR", conflicts_with = "into")]
    pub(crate) output: Option<PathBuf>,
    /// Existing pack to add them to.
    #[arg(long, value_name = "PACK")]
    pub(crate) into: Option<PathBuf>,
    /// Write into a folder that is not empty, or overwrite files of the pack.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct SchemaArgs {
    /// Kind of file.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) kind: Option<String>,
    /// All kinds, one file each.
    #[arg(long, requires = "output")]
    pub(crate) all: bool,
    /// With a kind: a file. With --all: a folder. [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DocsArgs {
    /// Pack folders. [default: those of --pack, else the built-in pack]
    pub(crate) folders: Vec<PathBuf>,
    /// One HTML page instead of Markdown.
    #[arg(long)]
    pub(crate) html: bool,
    /// Output file, or a folder with one file per pack. [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}
