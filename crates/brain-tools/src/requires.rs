//! `requires`: what must hold before a tool may run, whatever its behavior. Each has its own "why not".

use brain_core::{Failure, FailureClass, RecordId};
use brain_engine::{JobContext, RecordView};
use brain_lang::feel::Value as FeelValue;
use brain_registry::ValidatedCall;
use brain_registry::model::Precondition;

use crate::Toolbox;
use crate::record::{feel_record, not_found, parse_id, store_failed};
use crate::values::{Evaluation, to_failure};

impl Toolbox {
    /// Whether an outside call may be made now. What it reads is a precondition of the commit that says it starts.
    pub fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure> {
        let mut evaluation = self.evaluation(call, job);
        self.check_requires(call, &mut evaluation, records).map(drop)
    }

    /// Checks every precondition of a call, in order; gives the records that they named.
    pub(crate) fn check_requires(
        &self,
        call: &ValidatedCall,
        evaluation: &mut Evaluation,
        records: &mut RecordView<'_>,
    ) -> Result<Vec<(String, RecordId)>, Failure> {
        let mut named = Vec::new();
        for precondition in &call.tool().def.requires {
            let checked = self.check_one(precondition, call, evaluation, records);
            named.extend(checked.map_err(|failure| match precondition.recheck {
                Some(recheck) if failure.class == FailureClass::Business => Failure::blocked(failure.message, recheck),
                _ => failure,
            })?);
        }
        Ok(named)
    }

    fn check_one(
        &self,
        precondition: &Precondition,
        call: &ValidatedCall,
        evaluation: &mut Evaluation,
        records: &mut RecordView<'_>,
    ) -> Result<Option<(String, RecordId)>, Failure> {
        let mut named = None;
        if let (Some(input), Some(record)) = (&precondition.record, &precondition.record_type) {
            let kind = self.record_type(record)?;
            let text = call.args()[input].as_str().unwrap_or_default();
            let id = parse_id(text, record)?;
            let row = match records.get(&kind.def.name, id).map_err(store_failed)? {
                Some(row) => row,
                // A precondition without states only says that the record must exist: its words are the pack's own.
                None if precondition.state.is_empty() && precondition.expr.is_none() => {
                    return Err(Failure::business("record_not_found", why_not(evaluation, &precondition.otherwise)));
                }
                None => return Err(not_found(&kind.def.title, text)),
            };
            let state = row.state.clone().unwrap_or_default();
            evaluation.set("record", feel_record(kind, &row));
            named = Some((kind.def.name.clone(), id));
            if !precondition.state.is_empty() && !precondition.state.contains(&state) {
                return Err(Failure::business("wrong_state", why_not(evaluation, &precondition.otherwise)));
            }
        }
        if let Some(expr) = &precondition.expr {
            let value = evaluation.value(expr).map_err(|error| to_failure("requires", &error))?;
            if value != FeelValue::Bool(true) {
                return Err(Failure::business("not_allowed", why_not(evaluation, &precondition.otherwise)));
            }
        }
        Ok(named)
    }
}

/// The pack's own words, with its values.
fn why_not(evaluation: &mut Evaluation, otherwise: &str) -> String {
    brain_lang::Text::parse(otherwise)
        .ok()
        .and_then(|text| evaluation.text(&text).ok())
        .unwrap_or_else(|| otherwise.to_owned())
}
