//! Numbering plans: the valid phone numbers of a region and their international form (E.164).

/// A region's numbering plan.
struct Plan {
    region: &'static str,
    /// The country code.
    code: &'static str,
    /// The trunk prefix, dialled only inside the country.
    trunk: &'static str,
    /// Minimum and maximum number of digits without the trunk prefix.
    length: (usize, usize),
    /// Possible first digits, without the trunk prefix.
    first: &'static str,
    /// Minimum and maximum number of digits of a local number; 0 if the plan has none.
    local: (usize, usize),
}

const fn plan(
    region: &'static str,
    code: &'static str,
    trunk: &'static str,
    length: (usize, usize),
    first: &'static str,
    local: (usize, usize),
) -> Plan {
    Plan { region, code, trunk, length, first, local }
}

const NONE: (usize, usize) = (0, 0);

const PLANS: &[Plan] = &[
    plan("AU", "61", "0", (9, 9), "23478", (8, 8)),
    plan("AT", "43", "0", (7, 13), "123456789", NONE),
    plan("BE", "32", "0", (8, 9), "123456789", NONE),
    plan("CA", "1", "1", (10, 10), "23456789", (7, 7)),
    plan("CH", "41", "0", (9, 9), "234567", NONE),
    plan("DE", "49", "0", (6, 13), "123456789", NONE),
    plan("DK", "45", "", (8, 8), "23456789", NONE),
    plan("ES", "34", "", (9, 9), "6789", NONE),
    plan("FR", "33", "0", (9, 9), "123456789", NONE),
    plan("GB", "44", "0", (9, 10), "123578", (6, 8)),
    plan("IE", "353", "0", (7, 9), "1245678", NONE),
    plan("IN", "91", "0", (10, 10), "123456789", NONE),
    plan("IT", "39", "", (6, 11), "03", NONE),
    plan("NL", "31", "0", (9, 9), "123456789", NONE),
    plan("NO", "47", "", (8, 8), "23456789", NONE),
    plan("NZ", "64", "0", (8, 10), "234679", (7, 7)),
    plan("PL", "48", "", (9, 9), "123456789", NONE),
    plan("PT", "351", "", (9, 9), "29", NONE),
    plan("SE", "46", "0", (7, 9), "123456789", NONE),
    plan("SG", "65", "", (8, 8), "3689", NONE),
    plan("US", "1", "1", (10, 10), "23456789", (7, 7)),
    plan("ZA", "27", "0", (9, 9), "12345678", NONE),
];

fn plan_of(region: &str) -> Option<&'static Plan> {
    PLANS.iter().find(|plan| plan.region == region)
}

impl Plan {
    /// Whether these digits, without the trunk prefix, are a valid number.
    fn has(&self, digits: &str) -> bool {
        let (fewest, most) = self.length;
        let fits = (fewest..=most).contains(&digits.len()) && digits.starts_with(|c| self.first.contains(c));
        // In North America neither the area nor the exchange begins with 0 or 1.
        fits && (self.code != "1" || !matches!(digits.as_bytes()[3], b'0' | b'1'))
    }

    /// A number without its trunk prefix. A missing `0` is tolerated.
    fn national<'d>(&self, digits: &'d str) -> Option<&'d str> {
        let without = digits.strip_prefix(self.trunk).filter(|_| !self.trunk.is_empty());
        without.filter(|rest| self.has(rest)).or_else(|| Some(digits).filter(|digits| self.has(digits)))
    }

    /// Service numbers without an international form: `13 12 34`, `1300 123 456`.
    fn is_service(&self, digits: &str) -> bool {
        let australian = digits.starts_with("13") && matches!(digits.len(), 6 | 10)
            || digits.starts_with("1800") && digits.len() == 10;
        self.region == "AU" && australian
    }
}

/// The digits of a number without separators; `None` if there is anything else.
fn digits_of(text: &str) -> Option<String> {
    let between = |c: char| c.is_whitespace() || "-./()".contains(c);
    let mut digits = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' => digits.push(c),
            c if between(c) => {}
            _ => return None,
        }
    }
    Some(digits)
}

/// Whether the region's plan is known.
pub(super) fn knows(region: &str) -> bool {
    plan_of(region).is_some()
}

/// Whether a number can be dialled only inside a town or country.
pub(super) fn is_local(text: &str, region: &str) -> bool {
    let (Some(plan), Some(digits)) = (plan_of(region), digits_of(text)) else { return false };
    let (fewest, most) = plan.local;
    // A local number has at most two groups of digits; three may be a date.
    let groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let in_town = (fewest..=most).contains(&digits.len()) && groups <= 2 && !digits.starts_with(['0', '1']);
    in_town || plan.is_service(&digits)
}

/// The international form of a phone number (`+61412345678`), which is the same however it was written; `None` if it
/// cannot be a number. `region` (ISO 3166, `AU`) is where a number without a country code is dialled.
///
/// ```
/// assert_eq!(brain_slot::e164("0412 345 678", "AU").as_deref(), Some("+61412345678"));
/// assert_eq!(brain_slot::e164("+61 (0)412 345 678", "DE").as_deref(), Some("+61412345678"));
/// assert_eq!(brain_slot::e164("123", "AU"), None);
/// ```
pub fn e164(text: &str, region: &str) -> Option<String> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('+') {
        return international(&digits_of(&rest.replace("(0)", ""))?);
    }
    let digits = digits_of(text)?;
    let plan = plan_of(&region.to_ascii_uppercase())?;
    // The international prefix.
    let exit = match plan.code {
        "1" => "011",
        "61" => "0011",
        _ => "00",
    };
    if let Some(found) = digits.strip_prefix(exit).and_then(international) {
        return Some(found);
    }
    if plan.is_service(&digits) {
        return None;
    }
    plan.national(&digits).map(|number| format!("+{}{number}", plan.code))
}

/// Digits with a country code.
fn international(digits: &str) -> Option<String> {
    let mut known = PLANS.iter().filter_map(|plan| Some((plan, digits.strip_prefix(plan.code)?))).peekable();
    if known.peek().is_none() {
        let shaped = (8..=15).contains(&digits.len()) && !digits.starts_with('0');
        return shaped.then(|| format!("+{digits}"));
    }
    known.find_map(|(plan, rest)| plan.national(rest).map(|number| format!("+{}{number}", plan.code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form_however_it_is_written() {
        for (text, region, form) in [
            ("0412 345 678", "AU", "+61412345678"),
            ("0412345678", "au", "+61412345678"),
            ("412 345 678", "AU", "+61412345678"),
            ("+61 412 345 678", "US", "+61412345678"),
            ("+61 (0)412 345 678", "US", "+61412345678"),
            ("0061 412 345 678", "DE", "+61412345678"),
            ("0011 44 20 7946 0958", "AU", "+442079460958"),
            ("(02) 9374 4000", "AU", "+61293744000"),
            ("415-555-2671", "US", "+14155552671"),
            ("1 (415) 555-2671", "CA", "+14155552671"),
            ("020 7946 0958", "GB", "+442079460958"),
            ("07911 123456", "GB", "+447911123456"),
            ("030 901820", "DE", "+4930901820"),
            ("0171 2345678", "DE", "+491712345678"),
            ("06 12 34 56 78", "FR", "+33612345678"),
            ("021 123 4567", "NZ", "+64211234567"),
            ("98765 43210", "IN", "+919876543210"),
            ("085 123 4567", "IE", "+353851234567"),
            ("06-12345678", "NL", "+31612345678"),
            ("612 345 678", "ES", "+34612345678"),
            ("06 6982 1234", "IT", "+390669821234"),
            ("044 668 18 00", "CH", "+41446681800"),
            ("0664 1234567", "AT", "+436641234567"),
            ("+372 512 3456", "AU", "+3725123456"),
        ] {
            assert_eq!(e164(text, region).as_deref(), Some(form), "{text} in {region}");
        }
    }

    #[test]
    fn an_invalid_number_has_no_international_form() {
        for (text, region) in [
            ("12345", "AU"),
            ("0112 345 678", "AU"),
            ("0412 345 67", "AU"),
            ("+61 112 345 678", "AU"),
            ("13 12 34", "AU"),
            ("1300 123 456", "AU"),
            ("115-555-2671", "US"),
            ("415-155-2671", "US"),
            ("0412 345 678", ""),
            ("0412 345 678", "XX"),
            ("call me", "AU"),
            ("", "AU"),
            ("+", "AU"),
        ] {
            assert_eq!(e164(text, region), None, "{text} in {region}");
        }
        assert!(is_local("13 12 34", "AU") && is_local("9374 4000", "AU") && !is_local("0374 4000", "AU"));
    }

    mod never_panics {
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn on_any_text(text in "\\PC{0,30}|[+()0-9 .-]{0,24}", region in "[A-Z]{0,2}|US|AU|GB|DE") {
                if let Some(form) = super::super::e164(&text, &region) {
                    prop_assert!(form.starts_with('+') && form[1..].bytes().all(|b| b.is_ascii_digit()));
                    prop_assert_eq!(super::super::e164(&form, &region), Some(form.clone()), "the form is its own form");
                }
            }
        }
    }
}
