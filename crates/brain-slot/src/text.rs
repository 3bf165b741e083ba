//! Values with a fixed shape: UUIDs, e-mail and web addresses, booleans.

use serde_json::Value;

use super::ends_word;
use brain_english::values::BOOLEANS;

pub(super) fn uuid(chars: &[char], at: usize) -> Option<(usize, Value)> {
    let end = at + 36;
    let text = chars.get(at..end)?;
    let fits = |(i, c): (usize, &char)| if matches!(i, 8 | 13 | 18 | 23) { *c == '-' } else { c.is_ascii_hexdigit() };
    let shaped = text.iter().enumerate().all(fits);
    let whole = (at == 0 || !chars[at - 1].is_alphanumeric()) && ends_word(chars, end) && chars.get(end) != Some(&'-');
    (shaped && whole).then(|| (end, Value::from(text.iter().collect::<String>())))
}

pub(super) fn email(chars: &[char], at: usize) -> Option<(usize, Value)> {
    let allowed = |c: &char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '@');
    let mut end = at + chars[at..].iter().take_while(|c| allowed(c)).count();
    while end > at && matches!(chars[end - 1], '.' | '-') {
        end -= 1;
    }
    if !chars[at..end].contains(&'@') {
        return None;
    }
    let text: String = chars[at..end].iter().collect();
    let (user, host) = text.split_once('@')?;
    let fits = !user.is_empty() && host.contains('.') && !host.contains('@') && !host.starts_with('.');
    fits.then(|| (end, Value::from(text)))
}

pub(super) fn url(chars: &[char], at: usize) -> Option<(usize, Value)> {
    let mut end = at + chars[at..].iter().take_while(|c| !c.is_whitespace() && **c != '"').count();
    while end > at && matches!(chars[end - 1], '.' | ',' | ')' | ';') {
        end -= 1;
    }
    let text: String = chars[at..end].iter().collect();
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    (!rest.is_empty()).then(|| (end, Value::from(text)))
}

pub(super) fn boolean(chars: &[char], at: usize) -> Option<(usize, Value)> {
    for (word, value) in BOOLEANS {
        let end = at + word.len();
        if chars[at..].iter().copied().take(word.len()).eq(word.chars()) && ends_word(chars, end) {
            return Some((end, Value::from(value)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn a_uuid_is_whole_or_nothing() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_eq!(uuid(&chars(&format!("{id}: x")), 0), Some((36, Value::from(id))));
        assert_eq!(uuid(&chars(&format!("{id}f")), 0), None);
        assert_eq!(uuid(&chars("01890a5d-ac96-774b-bcce-b302099a805"), 0), None);
    }

    #[test]
    fn addresses_end_before_the_full_stop() {
        assert_eq!(email(&chars("bob@example.com."), 0), Some((15, Value::from("bob@example.com"))));
        assert_eq!(email(&chars("bob@example"), 0), None);
        assert_eq!(url(&chars("https://a.b/c?d=1, x"), 0), Some((17, Value::from("https://a.b/c?d=1"))));
    }
}
