//! The feed as callers see it: every change of every run of a tenant, in an order that never changes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A position in the feed: a row, and the number of its events that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FeedId {
    /// The position of the log row in the feed; later rows have higher positions.
    pub position: u64,
    /// The number of the event in the row, from 1; 0 means the whole row.
    pub event: u32,
}

impl fmt::Display for FeedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.event {
            0 => write!(f, "{}", self.position),
            event => write!(f, "{}-{event}", self.position),
        }
    }
}

impl FromStr for FeedId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (position, event) = text.split_once('-').unwrap_or((text, "0"));
        Ok(Self { position: position.parse()?, event: event.parse()? })
    }
}

/// One change of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FeedEvent {
    /// Its position in the feed; pass it as cursor to continue after it.
    pub id: String,
    /// The run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// Its number within the log of the run.
    pub seq: u64,
    /// When it was written.
    #[schema(format = DateTime)]
    pub at: String,
    /// The number of the event type.
    pub number: u16,
    /// The version of the event type.
    pub version: u16,
    /// The name of the event type.
    pub name: String,
    /// The event's fields, without domain values; `GET /v1/runs/{id}/events` has those.
    #[schema(value_type = Value)]
    pub data: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_written() {
        for text in ["0", "17", "17-3"] {
            assert_eq!(text.parse::<FeedId>().expect("an id").to_string(), text);
        }
        for wrong in ["", "x", "1-", "-1", "1-2-3"] {
            assert!(wrong.parse::<FeedId>().is_err(), "{wrong}");
        }
    }
}
