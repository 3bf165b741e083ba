//! The command line of packs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum PackCommand {
    /// Make a working starter.
    New {
        /// Its name; a folder of that name is made.
        name: String,
    },
    /// Find every mistake, with its place.
    Check {
        /// The packs' folders. [default: those of --pack, else the built-in pack]
        folders: Vec<PathBuf>,
    },
    /// Print the page of an error code.
    #[command(
        after_help = "Examples:\n  brain pack explain P0101   what the code means and what to do about it\n  brain pack explain         every code with its title"
    )]
    Explain {
        /// The code. [default: list all codes]
        code: Option<String>,
    },
    /// Run corpus and scenarios.
    Test {
        /// The packs' folders. [default: those of --pack, else the built-in pack]
        folders: Vec<PathBuf>,
        /// Only scenarios whose name contains this.
        #[arg(long)]
        only: Option<String>,
    },
    /// Write a pack up for people: tools, playbooks, record types, drawings.
    #[command(
        after_help = "Examples:\n  brain pack docs                          the built-in pack, as Markdown\n  brain pack docs shop --html -o shop.html one page that needs nothing else\n  brain pack docs shop billing -o site     one file for each pack"
    )]
    Docs(DocsArgs),
    /// JSON Schemas of pack files, for editors.
    #[command(
        after_help = "Kinds: pack, record, tools, playbook, corpus, scenario\n\nExamples:\n  brain pack schema tools\n  brain pack schema --all -o .brain/schemas\n\nA pack made by `brain pack new` has them already, and each file begins with the line that editors look for:\n  # yaml-language-server: $schema=../.brain/schemas/tools.json"
    )]
    Schema(SchemaArgs),
    /// Make a pack of what others have written down.
    #[command(subcommand)]
    Import(ImportCommand),
}

#[derive(Subcommand)]
pub(crate) enum ImportCommand {
    /// An action registry, or a plain list of tools with schemas: JSON or YAML.
    #[command(
        after_help = "Takes one action, a list of them, {\"actions\": [...]}, or {\"tools\": [{\"name\", \"description\", \"input_schema\"}]}.\nWhat has no place in a pack is listed; nothing is lost silently.\n\nExamples:\n  brain pack import registry actions.json\n  brain pack import registry tools.registry.json -o packs/desk && brain pack check packs/desk"
    )]
    Registry(ImportRegistryArgs),
    /// Playbooks with verbs and ${slots}, or macros (`kind: macro`): YAML.
    #[command(
        after_help = "Examples:\n  brain pack import playbook setup.playbook.yaml macros/*.yaml -o packs/funds\n  brain pack import playbook macros.yaml --into packs/funds\n\nTools that steps name and nobody has become jobs for workers, in tools/DOMAIN_imported.yaml."
    )]
    Playbook(ImportPlaybookArgs),
    /// Decisions: DMN 1.1 to 1.5, as XML.
    #[command(
        after_help = "Examples:\n  brain pack import dmn loans.dmn -o packs/loans\n  brain pack import dmn fees.dmn rates.dmn --into packs/loans\n\nA decision table or an expression becomes a tool; a decision that needs others also becomes a playbook that makes\nthem first. A decision of which a part cannot be taken over is left out whole, and each such part is named with its place."
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
    /// A pack to add them to.
    #[arg(long, value_name = "PACK")]
    pub(crate) into: Option<PathBuf>,
    /// Write into a folder that is not empty, or over files of the pack.
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
    /// A pack to add them to.
    #[arg(long, value_name = "PACK")]
    pub(crate) into: Option<PathBuf>,
    /// Write into a folder that is not empty, or over files of the pack.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct SchemaArgs {
    /// Which kind of file.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) kind: Option<String>,
    /// All of them, one file each.
    #[arg(long, requires = "output")]
    pub(crate) all: bool,
    /// With a kind: a file. With --all: a folder. [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DocsArgs {
    /// The packs' folders. [default: those of --pack, else the built-in pack]
    pub(crate) folders: Vec<PathBuf>,
    /// One HTML page instead of Markdown.
    #[arg(long)]
    pub(crate) html: bool,
    /// A file, or a folder for a file of each pack. [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}
