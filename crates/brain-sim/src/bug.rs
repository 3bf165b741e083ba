//! Planted bugs: a simulation that detects none of them would prove nothing. Most are planted at seams that the
//! simulation owns; the others at hooks that exist only with the feature `planted-bugs`.

/// A planted bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The store does not compare the sequence number and fence of a run.
    NoFences,
    /// The store occasionally loses one write of a member.
    LostWrite,
    /// The store occasionally reports a batch as durable that it has not written.
    FalseWord,
    /// The store does not compare the revisions of records.
    LostUpdate,
    /// The caller repeats a lost call without checking whether it may.
    BlindRetry,
    /// Every attempt gets a new idempotency key.
    NewKeys,
    /// Nodes do not look for runs of dead nodes, due timers and inboxes.
    NoKeeper,
    /// The check tool reports that a call did not happen without checking.
    WrongCheck,
    /// The store forgets idempotency keys.
    ForgottenKey,
    /// Nodes give one tenant more than its weight allows.
    Favourite,
    /// Nodes do not enforce the limit of a tool.
    NoLimit,
    /// Compensation undoes the oldest job first.
    UndoForward,
    /// The absence of a record is not checked by a commit.
    NoAbsence,
    /// Nodes do not notify themselves about new inbox entries of a run.
    DroppedSignal,
    /// Nodes set timers for distant times only.
    FarTimers,
    /// A step that injected others is closed whatever their state.
    CloseAgain,
    /// Offering a job without an entry leaves no entry.
    OfferNothing,
    /// A store failure counts as a refused child run.
    ChildRefused,
    /// A check that finds nothing is trusted while the call may still land.
    HastyCheck,
    /// Dead letters about jobs in doubt are closed with their run.
    LetterClosed,
    /// An undo that injects steps does nothing.
    EmptyUndo,
    /// One job that cannot be leased hides all others of its topic.
    ClosedTopic,
    /// A job that happened with an unusable answer counts as not done.
    BadIsNotDone,
    /// An undo that fails ends the compensation.
    UndoGivesUp,
    /// A cancellation replaces a compensation that was already decided.
    CancelReplaces,
    /// A gateway timeout counts as not done.
    RepeatedGateway,
    /// Readers of the feed skip rows.
    FeedGap,
    /// A call whose run another node has taken over stays in flight forever.
    AnsweredForgotten,
    /// Retention ignores open dead letters.
    SweptLetter,
    /// The steps of a run are not counted.
    NoHardStop,
    /// The wake-up time of a run is occasionally not written.
    LostTimer,
    /// A signal is occasionally not written.
    LostSignal,
    /// A leased job occasionally stays offered.
    OfferLeft,
    /// A migrated run loses its receipts.
    MovedReceipts,
    /// The undo of a child run does nothing and says that it is done.
    ChildKept,
    /// A step of a planned undo that fails stops the others.
    UndoStops,
    /// A child run whose start is reported after its step was stopped goes on.
    LateChild,
}

impl Bug {
    /// All bugs.
    pub const ALL: [Self; 37] = [
        Self::NoFences,
        Self::LostWrite,
        Self::FalseWord,
        Self::LostUpdate,
        Self::BlindRetry,
        Self::NewKeys,
        Self::NoKeeper,
        Self::WrongCheck,
        Self::ForgottenKey,
        Self::Favourite,
        Self::NoLimit,
        Self::UndoForward,
        Self::NoAbsence,
        Self::DroppedSignal,
        Self::FarTimers,
        Self::CloseAgain,
        Self::OfferNothing,
        Self::ChildRefused,
        Self::HastyCheck,
        Self::LetterClosed,
        Self::EmptyUndo,
        Self::ClosedTopic,
        Self::BadIsNotDone,
        Self::UndoGivesUp,
        Self::CancelReplaces,
        Self::RepeatedGateway,
        Self::FeedGap,
        Self::AnsweredForgotten,
        Self::SweptLetter,
        Self::NoHardStop,
        Self::LostTimer,
        Self::LostSignal,
        Self::OfferLeft,
        Self::MovedReceipts,
        Self::ChildKept,
        Self::UndoStops,
        Self::LateChild,
    ];

    /// Its name on the command line, and at its hook.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoFences => "no-fences",
            Self::LostWrite => "lost-write",
            Self::FalseWord => "false-word",
            Self::LostUpdate => "lost-update",
            Self::BlindRetry => "blind-retry",
            Self::NewKeys => "new-keys",
            Self::NoKeeper => "no-keeper",
            Self::WrongCheck => "wrong-check",
            Self::ForgottenKey => "forgotten-key",
            Self::Favourite => "favourite",
            Self::NoLimit => "no-limit",
            Self::UndoForward => "undo-forward",
            Self::NoAbsence => "no-absence",
            Self::DroppedSignal => "dropped-signal",
            Self::FarTimers => "far-timers",
            Self::CloseAgain => "close-again",
            Self::OfferNothing => "offer-nothing",
            Self::ChildRefused => "child-refused",
            Self::HastyCheck => "hasty-check",
            Self::LetterClosed => "letter-closed",
            Self::EmptyUndo => "empty-undo",
            Self::ClosedTopic => "closed-topic",
            Self::BadIsNotDone => "bad-is-not-done",
            Self::UndoGivesUp => "undo-gives-up",
            Self::CancelReplaces => "cancel-replaces",
            Self::RepeatedGateway => "repeated-gateway",
            Self::FeedGap => "feed-gap",
            Self::AnsweredForgotten => "answered-forgotten",
            Self::SweptLetter => "swept-letter",
            Self::NoHardStop => "no-hard-stop",
            Self::LostTimer => "lost-timer",
            Self::LostSignal => "lost-signal",
            Self::OfferLeft => "offer-left",
            Self::MovedReceipts => "moved-receipts",
            Self::ChildKept => "child-kept",
            Self::UndoStops => "undo-stops",
            Self::LateChild => "late-child",
        }
    }

    /// Whether it is planted in the product's own code, which requires the feature `planted-bugs`.
    pub fn is_hooked(self) -> bool {
        matches!(
            self,
            Self::UndoForward
                | Self::DroppedSignal
                | Self::FarTimers
                | Self::CloseAgain
                | Self::OfferNothing
                | Self::HastyCheck
                | Self::ClosedTopic
                | Self::UndoGivesUp
                | Self::CancelReplaces
                | Self::AnsweredForgotten
                | Self::SweptLetter
                | Self::NoHardStop
                | Self::MovedReceipts
                | Self::UndoStops
                | Self::LateChild
        )
    }
}
