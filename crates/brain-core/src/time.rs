//! Timestamps and clocks. Only the binary owns a real clock.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::{Deserialize, Serialize};

use crate::Millis;

/// A point in time, in milliseconds since 1970 (UTC). RFC 3339 text on every wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Adds a duration, saturating at the latest representable time.
    #[must_use]
    pub fn plus(self, length: Millis) -> Self {
        Self(self.0.saturating_add(i64::try_from(length.0).unwrap_or(i64::MAX)))
    }

    /// The duration since an earlier time; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Converts to a `jiff` timestamp, clamped to its range.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::MAX)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.to_jiff())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let at: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Self(at.as_millisecond()))
    }
}

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// A clock that only [`VirtualClock::advance`] and [`VirtualClock::set`] move: for tests, scenarios and simulation.
#[derive(Debug)]
pub struct VirtualClock(AtomicI64);

impl VirtualClock {
    /// Makes a clock that shows `at`.
    pub const fn new(at: Timestamp) -> Self {
        Self(AtomicI64::new(at.0))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Millis) {
        self.0.fetch_add(i64::try_from(by.0).unwrap_or(i64::MAX), Ordering::SeqCst);
    }

    /// Sets the clock, possibly backwards, as the clock of a machine may be.
    pub fn set(&self, to: Timestamp) {
        self.0.store(to.0, Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_is_rfc_3339_with_milliseconds() {
        let at = Timestamp::from_millis(1_700_000_000_120);
        assert_eq!(at.to_string(), "2023-11-14T22:13:20.120Z");
        let json = serde_json::to_string(&at).unwrap();
        assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), at);
    }

    #[test]
    fn a_virtual_clock_moves_only_by_advance_and_set() {
        let clock = VirtualClock::new(Timestamp::from_millis(10));
        assert_eq!(clock.now(), clock.now());
        clock.advance(Millis(5));
        assert_eq!(clock.now(), Timestamp::from_millis(15));
        assert_eq!(clock.now().since(Timestamp::from_millis(10)), Millis(5));
        assert_eq!(Timestamp::from_millis(10).since(clock.now()), Millis(0));
    }
}
