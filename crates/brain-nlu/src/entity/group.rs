//! Groups: one name for many entities. A mention resolves to the group, and the group to the member with a role in a
//! jurisdiction.

use super::card::Card;

/// The member that acts for a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchor<'a> {
    /// Exactly one.
    One(&'a Card),
    /// Several: ask.
    Several(Vec<&'a Card>),
    /// No member has that role.
    None,
}

/// The member of a group with a role in a jurisdiction: preferably of that jurisdiction, then one for all
/// jurisdictions, then any with the role. Without a role, any member.
pub fn anchor<'a>(cards: &'a [Card], group: &str, role: Option<&str>, jurisdiction: Option<&str>) -> Anchor<'a> {
    let has_role = |card: &&Card| role.is_none() || card.role.as_deref() == role;
    let members: Vec<&Card> =
        cards.iter().filter(|card| card.group.as_deref() == Some(group)).filter(has_role).collect();
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
    fn a_group_leads_to_the_member_with_a_role_in_a_place() {
        let cards = cards();
        let of = |group: &str, role: Option<&str>, place: Option<&str>| match anchor(&cards, group, role, place) {
            Anchor::One(card) => card.id.clone(),
            Anchor::Several(cards) => format!("{} of them", cards.len()),
            Anchor::None => "none".into(),
        };
        let id = |role: &str, place: Option<&str>| of("Allianz Global Investors", Some(role), place);
        assert_eq!(id("governance_controller", None), "2");
        assert_eq!(id("governance_controller", Some("lu")), "3");
        assert_eq!(id("governance_controller", Some("DE")), "2", "the one for everywhere");
        assert_eq!(id("book_controller", Some("IE")), "4");
        assert_eq!(id("book_controller", Some("DE")), "none", "nobody acts there");
        assert_eq!(id("book_controller", None), "2 of them");
        assert_eq!(id("regulatory_anchor", None), "none");
        assert_eq!(of("Allianz Global Investors", None, Some("FR")), "5", "whatever its role");
        assert_eq!(of("Allianz Global Investors", None, None), "2 of them", "those for everywhere");
        assert_eq!(of("Aviva", Some("governance_controller"), None), "none");
    }
}
