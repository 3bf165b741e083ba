//! Rate limits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Millis, Timestamp};

/// A number of calls per period: `10/s`, `100/min`, `1000/h`, `3/10s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rate {
    /// Calls allowed per period.
    pub count: u32,
    /// The period.
    pub per: Millis,
}

/// Returned for text that is not a rate.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{0}` is not a rate; write a number, `/` and a period, such as `10/s`, `100/min`, `1000/h` or `3/10s`")]
pub struct RateError(String);

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let wrong = || RateError(text.to_owned());
        let (count, per) = text.split_once('/').ok_or_else(wrong)?;
        let per = match per.trim() {
            "s" | "sec" | "second" => Millis(1_000),
            "m" | "min" | "minute" => Millis(60_000),
            "h" | "hour" => Millis(3_600_000),
            "d" | "day" => Millis(86_400_000),
            other => other.parse().map_err(|_| wrong())?,
        };
        let count = count.trim().parse().ok().filter(|count| *count > 0).ok_or_else(wrong)?;
        if per.0 == 0 {
            return Err(wrong());
        }
        Ok(Self { count, per })
    }
}

impl TryFrom<String> for Rate {
    type Error = RateError;

    fn try_from(text: String) -> Result<Self, RateError> {
        text.parse()
    }
}

impl From<Rate> for String {
    fn from(rate: Rate) -> Self {
        rate.to_string()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.per {
            Millis(1_000) => write!(f, "{}/s", self.count),
            Millis(60_000) => write!(f, "{}/min", self.count),
            Millis(3_600_000) => write!(f, "{}/h", self.count),
            Millis(86_400_000) => write!(f, "{}/d", self.count),
            per => write!(f, "{}/{per}", self.count),
        }
    }
}

/// Usage of a [`Rate`], by the generic cell rate algorithm: a burst of `count`, then evenly spaced.
#[derive(Clone, Copy, Debug, Default)]
pub struct RateMeter {
    /// The theoretical arrival time: when all usage so far is paid off, in microseconds.
    paid_off: i64,
}

impl RateMeter {
    /// When the next call may be made if this meter owns `1/share` of the rate. Never before `now`.
    pub fn next_at(&self, rate: Rate, share: u32, now: Timestamp) -> Timestamp {
        let now_micros = now.as_millis() * 1_000;
        let step = Self::step(rate, share);
        let burst = i64::from((rate.count / share.max(1)).max(1)) - 1;
        let at = self.paid_off.saturating_sub(burst.saturating_mul(step)).max(now_micros);
        Timestamp::from_millis(at.div_euclid(1_000) + i64::from(at.rem_euclid(1_000) != 0))
    }

    /// Counts a call.
    pub fn use_one(&mut self, rate: Rate, share: u32, now: Timestamp) {
        self.paid_off = self.paid_off.max(now.as_millis() * 1_000).saturating_add(Self::step(rate, share));
    }

    /// Uncounts a call that was not made after all.
    pub fn give_back(&mut self, rate: Rate, share: u32) {
        self.paid_off = self.paid_off.saturating_sub(Self::step(rate, share));
    }

    fn step(rate: Rate, share: u32) -> i64 {
        let while_micros = i64::try_from(rate.per.0.saturating_mul(1_000)).unwrap_or(i64::MAX);
        (while_micros / i64::from(rate.count)).saturating_mul(i64::from(share.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_reads_back_as_written() {
        for text in ["10/s", "100/min", "1000/h", "3/d"] {
            assert_eq!(text.parse::<Rate>().expect("a rate").to_string(), text);
        }
        assert_eq!("3/10s".parse::<Rate>().expect("a rate").per, Millis(10_000));
        for wrong in ["", "10", "0/s", "-1/s", "ten/s", "10/fortnight", "10/0s"] {
            assert!(wrong.parse::<Rate>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_burst_then_evenly() {
        let rate: Rate = "10/s".parse().expect("a rate");
        let mut meter = RateMeter::default();
        let mut now = Timestamp::from_millis(1_000_000);
        let mut times = Vec::new();
        for _ in 0..30 {
            now = meter.next_at(rate, 1, now);
            meter.use_one(rate, 1, now);
            times.push(now.as_millis() - 1_000_000);
        }
        assert!(times[..10].iter().all(|at| *at == 0), "the burst: {times:?}");
        assert_eq!(times[10..], (1..=20).map(|n| n * 100).collect::<Vec<_>>());
        // Half the rate allows half as many calls.
        let mut half = RateMeter::default();
        for _ in 0..5 {
            assert_eq!(half.next_at(rate, 2, now), now);
            half.use_one(rate, 2, now);
        }
        assert_eq!(half.next_at(rate, 2, now).since(now), Millis(200));
    }
}
