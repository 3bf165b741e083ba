//! Mistakes that are planted on purpose, at the seams that the simulation owns: a simulation that finds none of them
//! would prove nothing.

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
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 11] = [
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
    ];

    /// Its name on the command line.
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
        }
    }
}
