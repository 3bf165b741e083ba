//! The command line of learning.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args)]
pub(crate) struct LearningArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LearningCommand>,
}

#[derive(Subcommand)]
pub(crate) enum LearningCommand {
    /// What people say that is no phrase yet, and what the gates say of it.
    #[command(
        after_help = "Examples:\n  brain learning candidates                   all of them, what can be decided first\n  brain learning candidates --state review    what waits for a person\n  brain learning candidates --json"
    )]
    Candidates {
        /// Only those that stand here.
        #[arg(long, value_enum)]
        state: Option<StateArg>,
    },
    /// Make phrases of everything that passed the gates, if no corpus gets worse for it.
    #[command(
        after_help = "Examples:\n  brain learning run --dry-run                what would become of each\n  brain learning run                          once a day from cron is plenty"
    )]
    Run {
        /// Only say what would become of each.
        #[arg(long)]
        dry_run: bool,
    },
    /// Make a phrase of a candidate that waits for a person. The corpora are asked all the same.
    #[command(after_help = "Examples:\n  brain learning promote \"who are our prospects\" leads.list_by_stage")]
    Promote(DecideArgs),
    /// Reject a phrase for a tool: it is not learned, and does not lead there any more, in other words neither.
    #[command(
        after_help = "Examples:\n  brain learning reject \"who are our prospects\" leads.list_by_stage --why \"prospects are not leads here\"\n\n`brain learning blocklist` lists what was rejected; `brain learning unblock` takes it back."
    )]
    Reject(RejectArgs),
    /// List what was rejected.
    Blocklist,
    /// Take back a rejection.
    #[command(after_help = "Examples:\n  brain learning unblock \"who are our prospects\" leads.list_by_stage")]
    Unblock(DecideArgs),
    /// Say what was meant by a request, or that it was not what was chosen.
    #[command(
        after_help = "Examples:\n  brain learning correct RUN --meant leads.list_by_stage    it was this\n  brain learning correct RUN                                it was not what was chosen\n  brain learning correct RUN --request 2 --meant os.create_note\n\nNothing is done again. It is measured from then on that the same words are read so; `brain undo RUN` takes back what a\nwrong reading did."
    )]
    Correct(CorrectArgs),
    /// What people corrected: the corpus of this tenant.
    Cases,
}

/// Where a candidate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateArg {
    /// It passed its gates.
    Ready,
    /// A person must look at it.
    Review,
    /// Too little is known.
    Gathering,
    /// It is a phrase now.
    Promoted,
    /// It will not be one.
    Rejected,
}

#[derive(Args)]
pub(crate) struct DecideArgs {
    /// The phrase.
    pub(crate) phrase: String,
    /// The tool or playbook.
    pub(crate) target: String,
}

#[derive(Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) what: DecideArgs,
    /// Why: whoever comes upon it later reads this.
    #[arg(long)]
    pub(crate) why: String,
}

#[derive(Args)]
pub(crate) struct CorrectArgs {
    /// The run that heard the request.
    pub(crate) run: String,
    /// The tool or playbook that was meant.
    #[arg(long, value_name = "TOOL")]
    pub(crate) meant: Option<String>,
    /// Which request of several, from 1.
    #[arg(long, value_name = "N")]
    pub(crate) request: Option<usize>,
    /// Why.
    #[arg(long, default_value = "")]
    pub(crate) why: String,
}
