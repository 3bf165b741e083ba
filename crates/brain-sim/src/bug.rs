//! Mistakes that are planted on purpose: a simulation that finds none of them would prove nothing. Most are planted at
//! seams that the simulation owns; the others at hooks that are compiled only with the feature `planted-bugs`.

/// A planted mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The store does not compare sequence number and fence of a run.
    NoFences,
    /// The store now and then loses one write of a member.
    LostWrite,
    /// The store now and then says that a batch is durable and has not written it.
    FalseWord,
    /// The store does not compare the revisions of records.
    LostUpdate,
    /// Whoever calls outside makes a call that got lost again, without asking whether it may.
    BlindRetry,
    /// Every attempt gets an idempotency key of its own.
    NewKeys,
    /// Nodes do not look for the runs of the dead, for timers and for inboxes.
    NoKeeper,
    /// The check tool says that a call did not happen without looking.
    WrongCheck,
    /// The store forgets who used an idempotency key.
    ForgottenKey,
    /// Nodes give one tenant more than its weight says.
    Favourite,
    /// Nodes do not hold to the limit of a tool.
    NoLimit,
    /// What was done first is taken back first.
    UndoForward,
    /// That a record was not there is no precondition of a commit.
    NoAbsence,
    /// Nodes do not tell themselves that a run has something in its inbox.
    DroppedSignal,
    /// Nodes set alarms for what is far off, and none for what is near.
    FarTimers,
    /// A step that brought others along is closed whatever has become of it.
    CloseAgain,
    /// Offering a job that has no entry yet leaves no entry.
    OfferNothing,
    /// A store that does not answer counts as a child run that was refused.
    ChildRefused,
    /// A check that finds nothing is believed while the call may still land.
    HastyCheck,
    /// Letters about what may have happened are closed with their run.
    LetterClosed,
    /// Taking back with a tool that brings steps along does nothing.
    EmptyUndo,
    /// One job that cannot be taken keeps workers from all others.
    ClosedTopic,
    /// What was done and answered badly counts as not done.
    BadIsNotDone,
    /// An undo that fails ends the taking back.
    UndoGivesUp,
    /// A cancellation takes the place of a taking back that was decided.
    CancelReplaces,
    /// A gateway that gave up counts as one that did nothing.
    RepeatedGateway,
    /// Whoever follows the feed is led past rows.
    FeedGap,
    /// A call whose run another node has taken over stays under way for ever.
    AnsweredForgotten,
    /// Sweeping does not look for open letters.
    SweptLetter,
    /// The steps of a run are not counted.
    NoHardStop,
    /// The time at which a run is to be woken is now and then not written.
    LostTimer,
    /// What a run is told is now and then not written.
    LostSignal,
    /// A job that was taken stays offered now and then.
    OfferLeft,
    /// A run that is moved forgets what it had done.
    MovedReceipts,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 34] = [
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
        }
    }

    /// Whether it is planted in the product's own code, which only the feature `planted-bugs` makes possible.
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
        )
    }
}
