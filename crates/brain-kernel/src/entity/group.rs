//! Groups: resolves the name of a group to the member that acts for it, by the role that the tool asks for and the
//! place that the request is about.

use brain_nlu::entity::{Anchor, Asked, Candidate, Card, How, Kind, Linked, Resolution, anchor, link, words};
use brain_registry::model::{GroupDef, RecordDef};
use brain_store::{IndexValue, RecordFilter};
use serde_json::{Value, json};

use super::Named;
use super::lookup::StoreLookup;
use crate::kernel::Kernel;

/// Maximum number of members of a group with one role.
const MAX_MEMBERS: usize = 200;

/// The result of resolving a name through a group.
pub(super) struct ByGroup {
    /// The records that act for it.
    pub(super) linked: Linked,
    /// Why no member acts for the group.
    pub(super) nobody: Option<String>,
}

/// A group type whose members a tool accepts.
struct Leading<'a> {
    kind: Kind,
    group: &'a GroupDef,
    /// The type of the records that act.
    acting: &'a RecordDef,
}

impl Kernel {
    /// Resolves a name through the groups of that name. `None` if there are none, or a record itself is meant.
    ///
    /// A tool that asks for a role takes the group, unless a record has exactly that name. Any other tool takes the
    /// group only if nothing else has that name.
    pub(super) fn by_group(
        &self,
        named: &Named<'_>,
        said: &str,
        lookup: &StoreLookup<'_>,
        direct: &Linked,
    ) -> Option<ByGroup> {
        let leading = self.leading(named);
        let is_said = |one: &Candidate| one.how == How::Exact && words(&one.card.name) == words(said);
        if leading.is_empty() || direct.candidates.iter().any(is_said) {
            return None;
        }
        let kinds: Vec<Kind> = leading.iter().map(|one| one.kind.clone()).collect();
        let now = self.clock().now();
        let groups = link(&Asked { mention: said, kinds: &kinds, now, focus: &[], in_scope: &|_| false }, lookup);
        let best = groups.candidates.first()?.how;
        let is_meant = match direct.candidates.iter().map(|one| one.how).min() {
            None => true,
            Some(how) => best <= How::Identifier && (named.anchor.is_some() || how > How::Identifier),
        };
        if !is_meant {
            return None;
        }
        let taken = if groups.verdict == Resolution::One { 1 } else { groups.candidates.len() };
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut nobody = Vec::new();
        for found in &groups.candidates[..taken] {
            let one = leading.iter().find(|one| one.kind.name == found.card.kind)?;
            let called = Called { said, found, role: role(named, one.group), place: place(named, one.group) };
            let cards = self.members(one, &called, lookup);
            let acting = match anchor(&cards, &found.card.id, called.role, called.place) {
                Anchor::One(card) => vec![card],
                Anchor::Several(cards) => cards,
                Anchor::None => Vec::new(),
            };
            if acting.is_empty() {
                nobody.push(called.nobody(&one.kind));
            }
            for card in acting {
                // A member with several roles counts once.
                if candidates.iter().all(|known| known.card.id != card.id) {
                    candidates.push(called.candidate(&one.kind, card));
                }
            }
        }
        let verdict = match candidates.len() {
            0 => Resolution::None,
            1 => Resolution::One,
            _ => Resolution::Several,
        };
        let nobody = (verdict == Resolution::None).then(|| nobody.join(" "));
        let linked = Linked { mention: said.to_owned(), candidates, near: Vec::new(), verdict };
        Some(ByGroup { linked, nobody })
    }

    /// The group types that lead to what a tool accepts.
    fn leading(&self, named: &Named<'_>) -> Vec<Leading<'_>> {
        let defs = self.registry().records().values();
        let lead = |def: &std::sync::Arc<RecordDef>| {
            let group = self.registry().record(&def.name)?.group.as_ref()?;
            let acting = group.acting(self.registry().record(&group.members)?)?;
            named.kinds.iter().find(|kind| kind.name == acting)?;
            let kind = self.named_kinds(std::iter::once(def.name.as_str())).pop()?;
            Some(Leading { kind, group, acting: self.registry().record(acting)? })
        };
        defs.filter_map(lead).collect()
    }

    /// The members of a group, filtered by role if one is asked for.
    fn members(&self, leading: &Leading<'_>, called: &Called<'_>, lookup: &StoreLookup<'_>) -> Vec<Card> {
        let Leading { group, acting, .. } = leading;
        let of_role = group.role.iter().zip(called.role).map(|(field, role)| (field.clone(), json!(role)));
        let filter = RecordFilter {
            indexed: vec![(group.of.clone(), IndexValue::of(&called.found.card.id))],
            fields: of_role.collect(),
            ..RecordFilter::default()
        };
        let rows = lookup.those(&group.members, &filter, MAX_MEMBERS);
        let card = |row: &brain_store::RecordRow| {
            let text = |field: &Option<String>| {
                let value = row.body[field.as_ref()?].as_str()?.trim();
                (!value.is_empty()).then(|| value.to_owned())
            };
            let mut card = match &group.entity {
                Some(_) => lookup.one(acting, text(&group.entity)?.parse().ok()?)?,
                None => lookup.card(acting, row, 0),
            };
            (card.group, card.role) = (Some(called.found.card.id.clone()), text(&group.role));
            card.jurisdiction = text(&group.jurisdiction);
            // Members of a group are distinguished by their role.
            let of_member = card.role.iter().map(|role| role.replace('_', " ")).chain(card.jurisdiction.clone());
            card.hints = of_member.chain(std::mem::take(&mut card.hints)).collect();
            Some(card)
        };
        rows.iter().filter_map(card).collect()
    }
}

/// The role that is asked for: by the tool, else by the request's context.
fn role<'a>(named: &'a Named<'_>, group: &GroupDef) -> Option<&'a str> {
    let field = group.role.as_ref()?;
    named.anchor.or_else(|| named.request.context[field].as_str())
}

/// The place that is asked for: by the argument with the same name as the members' field, else by the request's
/// context.
fn place<'a>(named: &'a Named<'_>, group: &GroupDef) -> Option<&'a str> {
    let field = group.jurisdiction.as_ref()?;
    let said = named.args.get(field).and_then(Value::as_str);
    said.or_else(|| named.request.context[field].as_str()).map(str::trim).filter(|place| !place.is_empty())
}

/// A group found by its name, and the request to it.
struct Called<'a> {
    said: &'a str,
    found: &'a Candidate,
    role: Option<&'a str>,
    place: Option<&'a str>,
}

impl Called<'_> {
    fn group(&self, kind: &Kind) -> String {
        format!("“{}” is the {} {}", self.said, kind.nouns[0], self.found.card.name)
    }

    /// `governance controller for LU`.
    fn wanted(&self, role: Option<&str>, place: Option<&str>) -> String {
        let role = role.map_or_else(|| "member".to_owned(), |role| role.replace('_', " "));
        place.map_or_else(|| role.clone(), |place| format!("{role} for {place}"))
    }

    fn candidate(&self, kind: &Kind, card: &Card) -> Candidate {
        let how = self.found.evidence.first().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let role = self.wanted(card.role.as_deref(), card.jurisdiction.as_deref());
        let everywhere = if self.place.is_some() && card.jurisdiction.is_none() { ", for everywhere" } else { "" };
        let evidence = vec![format!("{}{how}", self.group(kind)), format!("its {role} is {}{everywhere}", card.name)];
        Candidate { card: card.clone(), how: self.found.how, score: self.found.score, evidence }
    }

    fn nobody(&self, kind: &Kind) -> String {
        format!("{}, and it has no {}.", self.group(kind), self.wanted(self.role, self.place))
    }
}
