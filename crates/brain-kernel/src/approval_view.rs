//! Approvals as people see them: the request in words, records by name, and personal values only for those who may
//! decide.

use brain_core::RecordId;
use brain_store::{ApprovalRow, Scope};
use serde_json::Value;

use crate::intake::Actor;
use crate::kernel::Kernel;

/// An approval as one person sees it.
#[derive(Clone, Debug)]
pub struct ApprovalView {
    /// The stored approval.
    pub row: ApprovalRow,
    /// The message of the request; empty if tools were called directly.
    pub said: String,
    /// The calls to approve, one line each.
    pub asks: Vec<String>,
    /// The note of the decision.
    pub note: Option<String>,
}

impl Kernel {
    /// An approval with the names of its records. Personal values are redacted unless this person may decide about it.
    pub fn approval_view(&self, scope: &Scope, row: ApprovalRow, actor: &Actor) -> ApprovalView {
        let may_decide = self.may_decide(scope, &row, actor).is_ok();
        let request = self.store().run(scope, row.run).ok().flatten().map(|run| run.request).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut view = ApprovalView {
            said: text(&request["message"]),
            asks: row.body["asks"].as_array().into_iter().flatten().map(text).collect(),
            note: Some(text(&row.body["note"])).filter(|note| !note.is_empty()),
            row,
        };
        if !may_decide {
            let redaction = self.redaction_for(scope, view.row.run);
            let texts = view.asks.iter_mut().chain([&mut view.said]).chain(&mut view.note);
            texts.for_each(|text| *text = redaction.text(text));
        }
        for (id, name) in self.names_for(scope, &view.row, may_decide) {
            // The name precedes the id, once in each line.
            view.asks.iter_mut().for_each(|line| *line = line.replacen(&id, &format!("{name} ({id})"), 1));
        }
        view
    }

    /// The ids and names of the records that the planned calls name. `personal`: whether to include types that have
    /// personal fields.
    fn names_for(&self, scope: &Scope, row: &ApprovalRow, personal: bool) -> Vec<(String, String)> {
        let planned = self.report(scope, row.run).map(|report| report.planned).unwrap_or_default();
        let mut names = Vec::new();
        for call in planned {
            let Some(tool) = self.registry().tool(&call.tool) else { continue };
            for (field, property) in tool.def.input["properties"].as_object().into_iter().flatten() {
                let Some(record) = property["x-entity"].as_str().and_then(|kind| self.registry().record(kind)) else {
                    continue;
                };
                let Some(id) = call.input[field].as_str().and_then(|text| text.parse::<RecordId>().ok()) else {
                    continue;
                };
                let is_shown = personal || !self.is_personal(&record.name);
                if let (true, Some(label)) = (is_shown, record.name_field())
                    && let Ok(Some(found)) = self.store().record(scope, &record.name, id)
                    && let Some(name) = found.body[&label.name].as_str()
                    && !names.iter().any(|(known, _)| *known == id.to_string())
                {
                    names.push((id.to_string(), name.to_owned()));
                }
            }
        }
        names
    }
}
