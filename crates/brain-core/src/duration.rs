//! Durations in packs and policies: `30s`, `5m`, or ISO 8601 (`PT30S`, `P7D`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A length of time in milliseconds, for timeouts, backoff and deadlines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(pub u64);

impl Millis {
    /// Converts from seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1000)
    }

    /// Converts to a standard duration.
    pub fn as_std(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }
}

/// Returned for text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration: write `500ms`, `30s`, `5m`, `2h`, `7d`, or ISO 8601 such as `PT30S` or `P7D`")]
pub struct DurationError(String);

impl FromStr for Millis {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let wrong = || DurationError(text.to_owned());
        let trimmed = text.trim();
        if trimmed.starts_with(['P', 'p']) {
            let span: jiff::Span = trimmed.parse().map_err(|_| wrong())?;
            // Calendar units have no fixed length: a day counts as 24 hours, months and years are rejected.
            let fixed = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
            return u64::try_from(fixed.as_millis()).map(Self).map_err(|_| wrong());
        }
        let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: u64 = trimmed[..digits].parse().map_err(|_| wrong())?;
        let unit = match trimmed[digits..].trim() {
            "ms" => 1,
            "s" => 1000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        number.checked_mul(unit).map(Self).ok_or_else(wrong)
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")] {
            if self.0 >= unit && self.0.is_multiple_of(unit) {
                return write!(f, "{}{name}", self.0 / unit);
            }
        }
        write!(f, "{}ms", self.0)
    }
}

impl Serialize for Millis {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_iso_forms_mean_the_same() {
        for (text, ms) in [
            ("30s", 30_000),
            ("PT30S", 30_000),
            ("P7D", 604_800_000),
            ("7d", 604_800_000),
            ("5m", 300_000),
            ("500ms", 500),
            ("PT1H30M", 5_400_000),
        ] {
            assert_eq!(text.parse(), Ok(Millis(ms)), "{text}");
        }
        assert_eq!(Millis(604_800_000).to_string(), "7d");
        assert_eq!(Millis(90_000).to_string(), "90s");
    }

    #[test]
    fn an_invalid_duration_is_rejected_with_the_accepted_forms() {
        for text in ["", "30", "s", "-5s", "P1Y", "99999999999999999999d", "PT-5S"] {
            let error = text.parse::<Millis>().unwrap_err();
            assert!(error.to_string().contains("PT30S"), "{text}");
        }
    }
}
