//! The log of a run: events of the pipe (1–99) and of the machine (100–199), each with its payload.

use std::borrow::Borrow;

use brain_store::{LogEvent, LogRow};
use brain_vm::{Event, EventError, VM_EVENTS};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// Events of the pipe, before and around execution. The numbers are frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum PipeEvent {
    /// A request was received.
    Received = 1,
    /// The request was understood; the data has the intents.
    Understood = 2,
    /// The plan was made; the payload has the program's input.
    Planned = 3,
    /// The request cannot be executed; the data has the reason.
    Refused = 4,
    /// The plan waits for confirmation or approval.
    Staged = 5,
    /// A person confirmed or approved the plan.
    Approved = 6,
    /// A person rejected the plan.
    Rejected = 7,
    /// The request was answered without executing anything.
    Answered = 8,
    /// Another node took the run over.
    TakenOver = 9,
    /// A dead letter was escalated, retried or resolved.
    LetterDecided = 10,
    /// A person reviewed a result; the data has the corrections.
    Reviewed = 11,
    /// The run was parked: it cannot be read, or the database rejects its next write.
    Parked = 12,
    /// A person unparked the run.
    Unparked = 13,
    /// A person aborted the run.
    Aborted = 14,
    /// A person migrated the run to another program; the data has its state there.
    Migrated = 15,
    /// A checkpoint with the state of the run. The events before it may be deleted.
    Checkpoint = 16,
    /// The receipts since the previous checkpoint. The events they were read from may be deleted.
    Archived = 17,
    /// The run expired before it started, because nobody answered or decided in time.
    Expired = 18,
    /// A person cancelled the run before it started.
    Cancelled = 19,
    /// A dead letter was opened. This event notifies the requester of the run.
    LetterOpened = 20,
}

impl PipeEvent {
    /// The display name of an event type.
    pub fn name(number: u16) -> Option<&'static str> {
        Some(match number {
            1 => "Received",
            2 => "Understood",
            3 => "Planned",
            4 => "Refused",
            5 => "Staged",
            6 => "Approved",
            7 => "Rejected",
            8 => "Answered",
            9 => "TakenOver",
            10 => "LetterDecided",
            11 => "Reviewed",
            12 => "Parked",
            13 => "Unparked",
            14 => "Aborted",
            15 => "Migrated",
            16 => "Checkpoint",
            17 => "Archived",
            18 => "Expired",
            19 => "Cancelled",
            20 => "LetterOpened",
            _ => return None,
        })
    }
}

/// An event to be written.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The event type.
    pub number: u16,
    /// The version of the event type.
    pub version: u16,
    /// The event's fields as stored, without domain values.
    pub data: Box<RawValue>,
    /// The domain values.
    pub payload: Option<Value>,
}

impl NewEvent {
    /// An event of the pipe.
    pub fn pipe(event: PipeEvent, data: impl Serialize, payload: Option<Value>) -> Self {
        let data = to_raw_value(&data).expect("pipe events are plain data");
        Self { number: event as u16, version: 1, data, payload }
    }

    /// Whether this event ends the run.
    pub(crate) fn is_end(&self) -> bool {
        self.number == Event::RunEnded { end: brain_vm::End::Completed }.number()
    }

    /// An event of the machine.
    pub fn machine(event: &Event, payload: Option<Value>) -> Self {
        Self { number: event.number(), version: event.version(), data: event.data(), payload }
    }
}

/// Packs events that are committed together into one row.
pub fn pack(run: brain_core::RunId, seq: u64, at: brain_core::Timestamp, events: Vec<NewEvent>) -> LogRow {
    let mut row = LogRow { run, seq, at, events: Vec::with_capacity(events.len()), payloads: Vec::new() };
    for NewEvent { number, version, data, payload } in events {
        let payload = payload.map(|payload| {
            row.payloads.push(payload);
            row.payloads.len() as u32 - 1
        });
        row.events.push(LogEvent { number, version, data, payload });
    }
    row
}

/// An event read from the log, with its payload unless that was erased.
#[derive(Clone, Copy, Debug)]
pub struct LogEntry<'a> {
    /// Its number within the run.
    pub seq: u64,
    /// When it was written.
    pub at: brain_core::Timestamp,
    /// The event type.
    pub number: u16,
    /// The version of the event type.
    pub version: u16,
    /// The event's fields as stored.
    pub data: &'a RawValue,
    /// The domain values.
    pub payload: Option<&'a Value>,
}

impl LogEntry<'_> {
    /// Whether the machine wrote it.
    pub fn is_machine(&self) -> bool {
        VM_EVENTS.contains(&self.number)
    }

    /// The machine event, if it is one.
    pub fn machine(&self) -> Result<Option<Event>, EventError> {
        if self.is_machine() {
            return Event::read(self.number, self.version, self.data).map(Some);
        }
        match PipeEvent::name(self.number) {
            Some(_) if self.version == 1 => Ok(None),
            _ => Err(EventError::Unknown { number: self.number, version: self.version }),
        }
    }

    /// The event's fields as JSON.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.data.get()).unwrap_or_default()
    }

    /// The event's fields as `T`, if they parse.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.data.get()).ok()
    }

    /// Whether it is this pipe event.
    pub fn is(&self, event: PipeEvent) -> bool {
        self.number == event as u16
    }

    /// The display name of its type.
    pub fn name(&self) -> &'static str {
        PipeEvent::name(self.number).or_else(|| Event::name(self.number)).unwrap_or("Unknown")
    }
}

/// The events of a log, in order.
pub fn entries<R: Borrow<LogRow>>(rows: &[R]) -> impl Iterator<Item = LogEntry<'_>> {
    rows.iter().map(Borrow::borrow).flat_map(|row: &LogRow| {
        row.events.iter().enumerate().map(|(n, event)| LogEntry {
            seq: row.seq + n as u64,
            at: row.at,
            number: event.number,
            version: event.version,
            data: &event.data,
            payload: event
                .payload
                .and_then(|position| row.payloads.get(position as usize))
                .filter(|payload| !payload.is_null()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_form_of_the_log_is_frozen() {
        let names = (1..VM_EVENTS.start).filter_map(|number| Some(format!("{number} {}", PipeEvent::name(number)?)));
        let events = vec![
            NewEvent::pipe(PipeEvent::Received, json!({"mode": "enqueue"}), Some(json!({"message": "hello"}))),
            NewEvent::machine(&Event::RunStarted { deadline: None }, None),
            NewEvent::pipe(PipeEvent::Answered, json!({}), Some(json!({"message": "good day"}))),
        ];
        let run = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let row = pack(run, 1, brain_core::Timestamp::from_millis(0), events);
        let stored = [serde_json::to_string(&row.events).unwrap(), serde_json::to_string(&row.payloads).unwrap()];
        let text = names.chain(stored).collect::<Vec<_>>().join("\n");
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/log.txt");
        brain_testbed::assert_golden(&file, &text);
    }
}
