//! Progress of long work: a bar or a counter on standard error. Silent without a terminal, with `--json` and `-q`.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Global;

/// Progress of one piece of work.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Counts towards a total, or just counts.
    pub(crate) fn new(global: &Global, what: &str, total: Option<u64>) -> Self {
        Self::styled(global, what, total, "{pos} of {len}", "{pos}")
    }

    /// The same for bytes.
    pub(crate) fn bytes(global: &Global, what: &str, total: Option<u64>) -> Self {
        Self::styled(global, what, total, "{bytes} of {total_bytes}", "{bytes}")
    }

    fn styled(global: &Global, what: &str, total: Option<u64>, of: &str, count: &str) -> Self {
        let target = if global.json || global.quiet {
            ProgressDrawTarget::hidden()
        } else {
            // Draws nothing if standard error is not a terminal.
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(total, target);
        let form = match total {
            Some(_) => format!("{{msg}}  {{bar:24}}  {of}  {{eta}} left"),
            None => format!("{{spinner}} {{msg}}  {count}  {{elapsed}}"),
        };
        if let Ok(style) = ProgressStyle::with_template(&form) {
            bar.set_style(style.progress_chars("█▌ "));
        }
        bar.set_message(what.to_owned());
        Self(bar)
    }

    /// Sets how much is done.
    pub(crate) fn at(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Adds to what is done.
    pub(crate) fn add(&self, more: u64) {
        self.0.inc(more);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
