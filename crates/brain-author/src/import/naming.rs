//! Converts foreign names to names of packs.

use brain_registry::is_name;

/// Lower-case letters, digits and `_`, starting with a letter.
pub(super) fn snake(text: &str) -> String {
    let mut name = String::new();
    let mut lower = false;
    for c in text.trim().chars() {
        if c.is_ascii_uppercase() && lower {
            name.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        match c.is_ascii_alphanumeric() {
            true => name.push(c.to_ascii_lowercase()),
            false if name.ends_with('_') || name.is_empty() => {}
            false => name.push('_'),
        }
    }
    let mut name = name.trim_end_matches('_').to_owned();
    if name.is_empty() {
        return "unnamed".to_owned();
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name.insert_str(0, "x_");
    }
    name.truncate(64);
    let name = name.trim_end_matches('_').to_owned();
    if is_name(&name) { name } else { "unnamed".to_owned() }
}

/// `domain.name`: as written, or with this domain.
pub(super) fn full(text: &str, domain: &str) -> String {
    match text.split_once('.') {
        Some((domain, name)) => format!("{}.{}", snake(domain), snake(name)),
        None => format!("{domain}.{}", snake(text)),
    }
}

/// The words of a name.
pub(super) fn words(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_alphanumeric() || "'’&".contains(c) { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The words as a title.
pub(super) fn title(text: &str) -> String {
    let words = words(text);
    let mut rest = words.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Phrases: each name alone, and with all required slots.
pub(super) fn phrases<'n>(
    names: impl IntoIterator<Item = &'n str>,
    required: &[String],
    taken: &mut Vec<String>,
) -> Vec<String> {
    let mut phrases = Vec::new();
    let with: Vec<String> = required.iter().map(|name| format!("{} {{{name}}}", words(name))).collect();
    for name in names.into_iter().map(words).filter(|name| name.chars().any(char::is_alphabetic)) {
        if taken.contains(&name) {
            continue;
        }
        taken.push(name.clone());
        phrases.push(name.clone());
        if !with.is_empty() {
            phrases.push(format!("{name} with {}", with.join(" and ")));
        }
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_become_names() {
        for (from, to) in [
            ("process_payment", "process_payment"),
            ("cbu-role", "cbu_role"),
            ("BRAND_API", "brand_api"),
            ("orderId", "order_id"),
            ("3d secure", "x_3d_secure"),
            ("  ", "unnamed"),
            ("a--b", "a_b"),
        ] {
            assert_eq!(snake(from), to, "{from}");
        }
        assert_eq!(full("cbu-role.assign", "x"), "cbu_role.assign");
    }
}
