//! Groups: one name for many entities. The name leads to the group, and the group to the member that acts for it in a
//! role and a place.

use super::card::Card;
use super::name::normal_name;

/// Who acts for a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchor<'a> {
    /// This one.
    One(&'a Card),
    /// Several could: ask.
    Several(Vec<&'a Card>),
    /// Nobody has that role.
    None,
}

/// The groups that are called so: by their own name, or by a name or an alias of a member. In order.
pub fn group_called<'a>(cards: &'a [Card], said: &str) -> Vec<&'a str> {
    let said = normal_name(said);
    let is = |name: &str| normal_name(name) == said;
    let called = |card: &&Card| {
        card.group.as_deref().is_some_and(is) || is(&card.name) || card.aliases.iter().any(|alias| is(alias))
    };
    let mut groups: Vec<&str> = cards.iter().filter(called).filter_map(|card| card.group.as_deref()).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The member of a group with a role in a jurisdiction: the one for that place; else the one for everywhere; without a
/// place, the one for everywhere; else whoever has the role.
pub fn anchor<'a>(cards: &'a [Card], group: &str, role: &str, jurisdiction: Option<&str>) -> Anchor<'a> {
    let members: Vec<&Card> = cards
        .iter()
        .filter(|card| card.group.as_deref() == Some(group) && card.role.as_deref() == Some(role))
        .collect();
    let of = |place: Option<&str>| -> Vec<&Card> {
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        let fits = |card: &&&Card| match (card.jurisdiction.as_deref(), place) {
            (Some(own), Some(place)) => same(own, place),
            (own, place) => own.is_none() && place.is_none(),
        };
        members.iter().filter(fits).copied().collect()
    };
    let mut found = if jurisdiction.is_some() { of(jurisdiction) } else { Vec::new() };
    if found.is_empty() {
        found = of(None);
    }
    if found.is_empty() && jurisdiction.is_none() {
        found = members;
    }
    match found.as_slice() {
        [] => Anchor::None,
        [one] => Anchor::One(one),
        _ => Anchor::Several(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: &str, name: &str, role: &str, place: Option<&str>) -> Card {
        Card {
            kind: "company".into(),
            id: id.into(),
            name: name.into(),
            group: Some("Allianz Global Investors".into()),
            role: Some(role.into()),
            jurisdiction: place.map(str::to_owned),
            aliases: if id == "1" { vec!["Allianz".into(), "AGI".into()] } else { Vec::new() },
            ..Card::default()
        }
    }

    fn cards() -> Vec<Card> {
        vec![
            member("1", "Allianz SE", "ultimate_parent", None),
            member("2", "AGI Holdings GmbH", "governance_controller", None),
            member("3", "AGI Luxembourg S.A.", "governance_controller", Some("LU")),
            member("4", "AGI Ireland Ltd", "book_controller", Some("IE")),
            member("5", "AGI France SAS", "book_controller", Some("FR")),
        ]
    }

    #[test]
    fn a_name_leads_to_the_group_and_the_group_to_its_anchor() {
        let cards = cards();
        let groups = group_called(&cards, "allianz");
        assert_eq!(groups, ["Allianz Global Investors"]);
        assert_eq!(group_called(&cards, "the Allianz Global Investors"), groups);
        let id = |role: &str, place: Option<&str>| match anchor(&cards, groups[0], role, place) {
            Anchor::One(card) => card.id.clone(),
            Anchor::Several(cards) => format!("{} of them", cards.len()),
            Anchor::None => "none".into(),
        };
        assert_eq!(id("governance_controller", None), "2");
        assert_eq!(id("governance_controller", Some("lu")), "3");
        assert_eq!(id("governance_controller", Some("DE")), "2", "the one for everywhere");
        assert_eq!(id("book_controller", Some("IE")), "4");
        assert_eq!(id("book_controller", Some("DE")), "none", "nobody acts there");
        assert_eq!(id("book_controller", None), "2 of them");
        assert_eq!(id("regulatory_anchor", None), "none");
        assert!(group_called(&cards, "Aviva").is_empty());
    }
}
