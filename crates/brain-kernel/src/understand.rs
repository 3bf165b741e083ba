//! Understand: turns a message into tools with arguments, a question, or an answer.

use std::collections::BTreeMap;

use brain_core::RunStatus;
use brain_nlu::{Confidence, Context, Intent, SlotValue, SmallTalk, Stage, TierId, Understanding, understand};
use brain_store::Scope;
use serde_json::{Value, json};

use crate::NextAction;
use crate::draft::Draft;
use crate::entity::NamePosition;
use crate::error::KernelError;
use crate::implied::imply;
use crate::intake::Request;
use crate::kernel::Kernel;
use crate::plan::Wanted;
use crate::vocabulary::{surroundings, thresholds};

impl Kernel {
    /// Understands a text; writes nothing.
    pub fn understand(&self, scope: &Scope, actor: &str, text: &str) -> Understanding {
        self.understand_within(scope, actor, text, None)
    }

    /// The same, among the tools of one kind of action.
    pub fn understand_within(&self, scope: &Scope, actor: &str, text: &str, tier: Option<TierId>) -> Understanding {
        self.understand_among(scope, actor, text, tier, BTreeMap::new())
    }

    /// The same, without targets that are excluded, each with the reason.
    pub(crate) fn understand_among(
        &self,
        scope: &Scope,
        actor: &str,
        text: &str,
        tier: Option<TierId>,
        excluded: BTreeMap<String, String>,
    ) -> Understanding {
        let around = surroundings(self.registry(), self.toolbox.zone(), self.clock().now());
        let taught = self.lessons(scope);
        let thresholds = thresholds(self.registry());
        let context =
            Context { taught: Some(&taught), actor: Some(actor), tier, excluded, thresholds, ..Context::fresh(around) };
        let mut found = understand(&self.vocabulary, text, &context);
        imply(&mut found, |tool, phrase| self.registry().implied(tool, phrase));
        self.save_vocabulary();
        found
    }

    /// Reads the message of a request as tools and arguments.
    pub(crate) fn read(&self, request: &Request, draft: &mut Draft) -> Result<Step, KernelError> {
        if !request.calls.is_empty() {
            draft.confidence = Confidence::High;
            let names: Vec<&str> = request.calls.iter().map(|(tool, _)| tool.as_str()).collect();
            draft.reason = match &request.undo_of {
                Some(undo) => format!("Undo of run {}", undo["run"].as_str().unwrap_or_default()),
                None => format!("Direct tool call: {}", names.join(", ")),
            };
            let wanted = request.calls.iter().map(|(tool, input)| Wanted {
                target: tool.clone(),
                args: input.as_object().cloned().unwrap_or_default(),
                unclear: BTreeMap::new(),
                in_words: false,
            });
            let mut wanted = self.with_attachments(request, wanted.collect());
            let links = self.link_names(request, &mut wanted, &[])?;
            if !links.evidence.is_empty() {
                draft.understood(json!({"kind": "called", "links": links.evidence}), &request.message);
            }
            return Ok(if links.settle(draft) { Step::Done } else { Step::Plan(wanted) });
        }
        let tier = match self.chosen_tier(request) {
            Ok(tier) => tier,
            Err(problem) => {
                draft.reason = "The request chooses an unknown kind of action".into();
                draft.refuse(&[problem]);
                return Ok(Step::Done);
            }
        };
        let understanding = self.understand_within(&request.scope, &request.actor.name, &request.message, tier.clone());
        let understanding = self.with_existing_names(request, understanding)?;
        let evidence = serde_json::to_value(&understanding).unwrap_or(Value::Null);
        let step = match understanding {
            Understanding::Clear { intents } => self.clear(request, draft, intents, tier)?,
            Understanding::Ask(question) => {
                draft.confidence = Confidence::Low;
                draft.reason = if question.leftover.is_empty() {
                    "More than one reading is likely".into()
                } else {
                    "Some words were not understood, and could change what is done".into()
                };
                draft.understood(evidence, &request.message);
                draft.status = RunStatus::NeedsInput;
                let options = question.options.iter().filter_map(|intent| {
                    let target = &intent.target;
                    let title = self.vocabulary.targets().iter().find(|one| one.name == *target);
                    let title = title.map_or(target.as_str(), |one| one.title.as_str());
                    let example = self.example_request(request, target, &intent.evidence.phrase, Some(intent))?;
                    Some(NextAction::say_for(format!("For “{title}”, say"), example))
                });
                let teach = NextAction::Teach { run: draft.run };
                if question.tiers.is_empty() {
                    draft.answer(&question.text, options.chain([teach]).collect());
                } else {
                    let (text, next) = self.tier_question(&question);
                    draft.answer(&text, next.into_iter().chain([teach]).collect());
                }
                Step::Done
            }
            Understanding::SmallTalk { talk } => {
                draft.confidence = Confidence::High;
                draft.reason = "Small talk".into();
                draft.understood(evidence, &request.message);
                if talk == SmallTalk::Undo {
                    // It is a question: nothing was undone.
                    draft.status = RunStatus::NeedsInput;
                }
                let (text, examples) = self.chat(talk);
                draft.answer(&text, examples);
                Step::Done
            }
            Understanding::Unknown { nearest } => {
                draft.confidence = Confidence::None;
                draft.reason = "No matching rule found".into();
                draft.understood(evidence, &request.message);
                let examples = nearest.iter().map(|one| self.example_request(request, &one.target, &one.phrase, None));
                let near: Vec<String> = examples.flatten().collect();
                let (text, examples) = self.help(&near);
                draft.answer(&text, examples);
                Step::Done
            }
        };
        Ok(step)
    }

    /// Looks up the names of requests, and gives the calls to plan. If a name is no record's, another reading is tried.
    fn clear(
        &self,
        request: &Request,
        draft: &mut Draft,
        intents: Vec<Intent>,
        tier: Option<TierId>,
    ) -> Result<Step, KernelError> {
        let wanted = intents.iter().map(|intent| {
            let schema = self.schema_of(&intent.target);
            Wanted::of_intent(self.registry(), intent, &request.context, &schema)
        });
        let mut wanted = self.with_attachments(request, wanted.collect());
        let links = self.link_names(request, &mut wanted, &places(&intents))?;
        if links.lacks_record()
            && let [only] = intents.as_slice()
            && let Some(better) = self.instead_of(request, tier, only)?
        {
            // That reading's records exist, so this ends here.
            return self.clear(request, draft, vec![better], None);
        }
        draft.confidence = intents.iter().map(|intent| intent.confidence).min().unwrap_or(Confidence::None);
        draft.reason = reason(&intents);
        let mut evidence = json!(Understanding::Clear { intents });
        if !links.evidence.is_empty() {
            evidence["links"] = json!(links.evidence);
        }
        draft.understood(evidence, &request.message);
        Ok(if links.settle(draft) { Step::Done } else { Step::Plan(wanted) })
    }

    /// Attached files fill, in order, the inputs of type `file` that are empty.
    pub(crate) fn with_attachments(&self, request: &Request, mut wanted: Vec<Wanted>) -> Vec<Wanted> {
        let mut files = request.attachments.iter();
        for one in wanted.iter_mut().filter(|_| !request.attachments.is_empty()) {
            let schema = self.schema_of(&one.target);
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if property["x-file"] == true
                    && !one.args.contains_key(name)
                    && let Some(file) = files.next()
                {
                    one.args.insert(name.clone(), file.clone());
                }
            }
        }
        wanted
    }

    pub(crate) fn schema_of(&self, target: &str) -> Value {
        if let Some(tool) = self.registry().tool(target) {
            return tool.def.input.clone();
        }
        self.registry().playbook(target).map_or(Value::Null, |playbook| playbook.slots.clone())
    }

    /// The reply when nothing matched.
    pub(crate) fn help(&self, near: &[String]) -> (String, Vec<NextAction>) {
        let mut text = String::from("I did not understand that.");
        if !near.is_empty() {
            text.push_str(" Did you mean one of these?\n");
            for phrase in near {
                text.push_str(&format!("  {phrase}\n"));
            }
        }
        let (things, examples) = self.offers();
        text.push_str(if text.ends_with('\n') { things.trim_start() } else { &things });
        text.truncate(text.trim_end().len());
        (text, examples)
    }

    /// The packs' introductions and examples.
    pub(crate) fn offers(&self) -> (String, Vec<NextAction>) {
        let mut text = String::new();
        let mut examples = Vec::new();
        for pack in self.registry().packs().values() {
            if !pack.help.text.is_empty() {
                text.push(' ');
                text.push_str(&pack.help.text);
            }
            examples.extend(&pack.help.examples);
        }
        if !examples.is_empty() {
            text.push_str("\nTry one of these:");
            for example in &examples {
                text.push_str(&format!("\n  {example}"));
            }
        }
        (text, examples.into_iter().map(|example| NextAction::say_for("Try", example)).collect())
    }
}

/// Why requests were understood so, for the log.
fn reason(intents: &[Intent]) -> String {
    let names: Vec<&str> = intents.iter().map(|intent| intent.target.as_str()).collect();
    let phrases = if names.len() > 1 { "phrases" } else { "a phrase" };
    if intents.iter().all(|intent| intent.evidence.tier == Stage::Exact) {
        return format!("Matched {phrases} of {}", names.join(", "));
    }
    let like: Vec<String> = intents.iter().map(|intent| format!("“{}”", intent.evidence.phrase)).collect();
    format!("Understood as {}: it is like {}", names.join(", "), like.join(", "))
}

/// The positions of the slots of requests.
fn places(intents: &[Intent]) -> Vec<NamePosition> {
    let of = |(call, intent): (usize, &Intent)| {
        let place = |slot: &SlotValue| NamePosition { call, slot: slot.name.clone(), span: slot.span.clone() };
        intent.slots.iter().map(place).collect::<Vec<_>>()
    };
    intents.iter().enumerate().flat_map(of).collect()
}

pub(crate) enum Step {
    Plan(Vec<Wanted>),
    Done,
}
