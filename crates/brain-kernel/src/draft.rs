//! A run in preparation: the findings of each stage go into its log before it exists.

use std::sync::Arc;

use brain_core::{Digest, RunId, RunStatus, Timestamp};
use brain_engine::core::Submission;
use brain_engine::{NewEvent, PipeEvent, RunInput, blob_writes};
use brain_nlu::Confidence;
use brain_registry::model::BatchPolicy;
use brain_store::Write;
use brain_store::blob::offload;
use brain_vm::Program;
use serde_json::{Value, json};

use crate::NextAction;
use crate::evidence;
use crate::intake::Request;
use crate::narrate::{Problem, ended};
use crate::plan::Planned;

/// A run in preparation.
pub(crate) struct Draft {
    pub(crate) run: RunId,
    pub(crate) status: RunStatus,
    pub(crate) confidence: Confidence,
    pub(crate) reason: String,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) writes: Vec<Write>,
    pub(crate) program: Option<(Digest, Arc<Program>)>,
    pub(crate) planned: Option<Planned>,
    /// The complete input of the program, if large parts of it are stored as blobs in the log.
    pub(crate) input: Option<RunInput>,
    pub(crate) start: bool,
    pub(crate) key: Option<(String, Digest)>,
    /// When it expires unless it has started.
    pub(crate) expires_at: Option<Timestamp>,
}

impl Draft {
    pub(crate) fn new(run: RunId, request: &Request, digest: Digest) -> Self {
        Self {
            run,
            status: RunStatus::Completed,
            confidence: Confidence::None,
            reason: String::new(),
            events: vec![NewEvent::pipe(PipeEvent::Received, json!({"request": digest}), None)],
            writes: Vec::new(),
            program: None,
            planned: None,
            input: None,
            start: false,
            key: request.key.clone().map(|key| (key, digest)),
            expires_at: None,
        }
    }

    pub(crate) fn understood(&mut self, mut evidence: Value, message: &str) {
        evidence::by_reference(&mut evidence, message);
        self.events.push(NewEvent::pipe(PipeEvent::Understood, json!({}), Some(json!({"evidence": evidence}))));
    }

    /// Adds the planned calls to the log.
    pub(crate) fn calls(&mut self, planned: &Planned) {
        // The input already contains the arguments of calls by name.
        let given = planned.input.calls();
        let mut named = 0;
        let calls: Vec<Value> = planned
            .calls
            .iter()
            .map(|call| {
                let mut planned = json!({"tool": call.tool, "step": call.step});
                if given.get(named) == Some(&call.input) && call.step == format!("s{}", named + 1) {
                    planned["call"] = json!(named);
                    named += 1;
                } else {
                    planned["input"] = call.input.clone();
                }
                if call.times != Some(1) {
                    planned["times"] = call.times.map_or_else(|| json!("unknown"), |times| json!(times));
                }
                if call.conditional {
                    planned["conditional"] = json!(true);
                }
                planned
            })
            .collect();
        let data = json!({
            "program": self.program.as_ref().map(|(hash, _)| hash),
            "confidence": self.confidence,
            "reason": self.reason,
        });
        let mut data = data;
        if planned.policy != BatchPolicy::Plain {
            data["policy"] = json!(planned.policy);
        }
        let payload = json!({"input": planned.input, "calls": calls});
        self.events.push(NewEvent::pipe(PipeEvent::Planned, data, Some(payload)));
    }

    /// The planned calls in the payload of a `Planned` event, each with its input.
    pub(crate) fn planned_calls(payload: &Value) -> Vec<Value> {
        let mut calls = payload["calls"].as_array().cloned().unwrap_or_default();
        for call in &mut calls {
            if let Some(number) = call["call"].as_u64() {
                call["input"] = payload["input"]["work"]["calls"][number as usize].clone();
            }
        }
        calls
    }

    pub(crate) fn answer(&mut self, message: &str, next: Vec<NextAction>) {
        let data = json!({"mode_used": "answer", "confidence": self.confidence, "reason": self.reason});
        let payload = json!({"message": message, "next_actions": next});
        self.events.push(NewEvent::pipe(PipeEvent::Answered, data, Some(payload)));
    }

    pub(crate) fn refuse(&mut self, problems: &[Problem]) {
        self.refuse_and_suggest(problems, &[]);
    }

    pub(crate) fn refuse_and_suggest(&mut self, problems: &[Problem], next: &[NextAction]) {
        let missing = problems.iter().all(|problem| problem.code == "missing_input");
        self.status = if missing { RunStatus::NeedsInput } else { RunStatus::Failed };
        let errors: Vec<Value> = problems.iter().map(Problem::to_json).collect();
        let lines: Vec<String> = problems.iter().map(|problem| ended(problem.message.clone())).collect();
        let message = format!("Nothing was done. {}", lines.join(" "));
        let data = json!({"confidence": self.confidence, "reason": self.reason});
        let payload = json!({"errors": errors, "message": message, "next_actions": next});
        self.events.push(NewEvent::pipe(PipeEvent::Refused, data, Some(payload)));
        self.program = None;
    }

    pub(crate) fn submission(mut self, request: &Request, definitions: Vec<Write>, now: Timestamp) -> Submission {
        let mut writes = self.writes;
        writes.extend(definitions);
        // This commit references the files again, so retention keeps them.
        let files = request.attachments.iter().filter_map(|file| file["$blob"].as_str()?.parse().ok());
        writes.extend(files.map(|hash| Write::NoteBlob { hash, unused_since: None }));
        let mut large = Vec::new();
        let mut stored = request.to_json();
        offload(&mut stored, 1, &mut large);
        for payload in self.events.iter_mut().filter_map(|event| event.payload.as_mut()) {
            // The input is already reduced, and the list of calls stays in the log whatever its length: reports and
            // approvers read it there.
            let mut unchanged = ["input", "calls"].map(|name| (name, payload.get_mut(name).map(Value::take)));
            offload(payload, 0, &mut large);
            for call in
                unchanged.iter_mut().filter(|(name, _)| *name == "calls").filter_map(|(_, calls)| calls.as_mut())
            {
                call.as_array_mut().into_iter().flatten().for_each(|call| offload(call, 2, &mut large));
            }
            for (name, value) in unchanged {
                if let Some(value) = value {
                    payload[name] = value;
                }
            }
        }
        writes.extend(blob_writes(large, now));
        let calls = self.planned.as_ref().map(Planned::validated).unwrap_or_default();
        let (input, priority) =
            self.planned.map_or((RunInput::default(), 1), |planned| (planned.input, planned.priority));
        let input = self.input.unwrap_or(input);
        Submission {
            run: self.run,
            scope: request.scope.clone(),
            request: stored,
            prelude: self.events,
            program: self.program,
            input,
            calls,
            start: self.start,
            status: self.status,
            key: self.key,
            priority,
            writes,
            expires_at: self.expires_at,
        }
    }
}
