//! Subjects: reply prefixes, and ids in tags.

/// Prefixes that mail programs of several languages put before the subject of a reply or a forwarded message.
const PREFIXES: [&str; 13] = ["re", "fw", "fwd", "aw", "wg", "sv", "vs", "antw", "tr", "rv", "res", "enc", "ref"];

/// The subject without its prefixes, such as `Re:` and `Re[2]:`.
pub(super) fn clean(subject: &str) -> &str {
    let mut rest = subject.trim();
    while let Some((before, after)) = rest.split_once(':') {
        let word = before.split_once(['[', '(']).map_or(before, |(word, _)| word).trim();
        if !PREFIXES.iter().any(|prefix| prefix.eq_ignore_ascii_case(word)) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// The ids in tags such as `[Request:UUID]`, in lower case, each once.
pub(super) fn request_ids(subject: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for tag in subject.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(tag, _)| tag) {
        let id = tag.rsplit([':', '#', ' ']).next().unwrap_or(tag).to_ascii_lowercase();
        if is_uuid(&id) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

fn is_uuid(text: &str) -> bool {
    let fits = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_go_and_other_colons_stay() {
        for (subject, expected) in [
            ("Re: Roof", "Roof"),
            ("AW: RE:Fwd: Roof", "Roof"),
            ("Re[2]: Roof: the ridge", "Roof: the ridge"),
            ("Roof: the ridge", "Roof: the ridge"),
            (" FW : Roof", "Roof"),
            ("Re:", ""),
            ("Reply: no", "Reply: no"),
        ] {
            assert_eq!(clean(subject), expected, "{subject}");
        }
    }

    #[test]
    fn ids_are_found_in_tags_only() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_eq!(request_ids(&format!("Re: x [Request:{}] [ID #{id}]", id.to_uppercase())), [id]);
        assert!(request_ids(&format!("{id} [Request:12] [open {id}")).is_empty());
    }
}
