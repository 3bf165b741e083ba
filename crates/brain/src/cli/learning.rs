//! The command line of learning.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args)]
pub(crate) struct LearningArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LearningCommand>,
}

#[derive(Subcommand)]
pub(crate) enum LearningCommand {
    /// List candidate phrases and whether they pass the gates.
    #[command(
        after_help = "Examples:\n  brain learning candidates                  list all, the ready ones first\n  brain learning candidates --state review   those that need a person's decision\n  brain learning candidates --json"
    )]
    Candidates {
        /// Only candidates in this state.
        #[arg(long, value_enum)]
        state: Option<StateArg>,
    },
    /// Promote every candidate that passed the gates, unless a corpus would get worse.
    #[command(
        after_help = "Examples:\n  brain learning run --dry-run                show the outcome for each\n  brain learning run                          once a day from cron is plenty"
    )]
    Run {
        /// Only show the outcome for each candidate.
        #[arg(long)]
        dry_run: bool,
    },
    /// Promote a candidate that waits for review. Refused if a corpus would get worse.
    #[command(after_help = "Examples:\n  brain learning promote \"people worth ringing back\" leads.list_by_stage")]
    Promote(DecideArgs),
    /// Block this phrase, and close paraphrases, from matching the tool.
    #[command(
        after_help = "Examples:\n  brain learning reject \"people worth ringing back\" leads.list_by_stage\n\n`brain learning blocklist` lists blocked phrases; `brain learning unblock` unblocks one."
    )]
    Reject(RejectArgs),
    /// List blocked phrases.
    Blocklist,
    /// Unblock a phrase.
    #[command(after_help = "Examples:\n  brain learning unblock \"people worth ringing back\" leads.list_by_stage")]
    Unblock(DecideArgs),
    /// Correct a misunderstood request: name the tool that was meant, or say only that it was wrong.
    #[command(
        after_help = "Examples:\n  brain learning correct RUN --meant leads.list_by_stage   this tool was meant\n  brain learning correct RUN                               the tool was wrong\n  brain learning correct RUN --request 2 --meant os.create_note\n\nNothing is executed. The correction becomes a test case: learning must not break it. To undo what the misunderstood request did: `brain runs undo RUN`."
    )]
    Correct(CorrectArgs),
    /// List the recorded corrections. They are test cases that learning must not break.
    Cases,
}

/// State of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateArg {
    /// Passed the gates.
    Ready,
    /// Needs a person's decision.
    Review,
    /// Not enough evidence yet.
    Gathering,
    /// Promoted to a phrase.
    Promoted,
    /// Blocked.
    Rejected,
}

#[derive(Args)]
pub(crate) struct DecideArgs {
    /// The phrase, as it is listed.
    pub(crate) phrase: String,
    /// The tool or playbook.
    pub(crate) target: String,
}

#[derive(Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) what: DecideArgs,
    /// Reason, shown in the blocklist.
    #[arg(long, alias = "why")]
    pub(crate) note: String,
}

#[derive(Args)]
pub(crate) struct CorrectArgs {
    /// The run of the request.
    pub(crate) run: String,
    /// The tool or playbook that was meant.
    #[arg(long, value_name = "TOOL")]
    pub(crate) meant: Option<String>,
    /// Which request of the message, counted from 1.
    #[arg(long, value_name = "N")]
    pub(crate) request: Option<usize>,
    /// Reason, for the log.
    #[arg(long, alias = "why", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
}
