//! Finds a tool or playbook by candidate names, without reading a sentence: what another program believes a tool is
//! called. For each candidate in order: an exact name, then a similar one, then a synonym. The first candidate that
//! finds anything wins.

use serde::{Deserialize, Serialize};

use crate::phrase::labels::words;
use crate::phrase::vocabulary::Target;

/// Maximum number of candidate names.
pub const MAX_CANDIDATES: usize = 3;
/// Maximum length of a candidate name, in characters; longer names match nothing.
pub const MAX_NAME: usize = 200;
/// Minimum similarity of a similar name, in percent.
const ALIKE: u32 = 80;

/// How a name was matched with a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// It is the name, or the title.
    Exact,
    /// It is similar to the name.
    Fuzzy,
    /// It is a synonym of the tool, or an alias of the playbook.
    Synonym,
    /// No candidate matches.
    NotFound,
}

/// A target that was found by a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NameMatch<'t> {
    /// The tool or playbook.
    pub target: &'t Target,
    /// The position of the candidate that found it.
    pub candidate: usize,
    /// How it was found.
    pub match_type: MatchType,
    /// Similarity of candidate and name, in percent: 100 unless the match is fuzzy.
    pub ratio: u32,
}

/// The target of the first candidate that matches anything.
pub fn look_up<'t>(targets: &'t [Target], candidates: &[&str]) -> Option<NameMatch<'t>> {
    candidates.iter().enumerate().find_map(|(candidate, name)| {
        let said = words(name);
        if said.is_empty() || said.chars().count() > MAX_NAME {
            return None;
        }
        let found = |match_type, target, ratio| NameMatch { target, candidate, match_type, ratio };
        exact(targets, &said)
            .map(|target| found(MatchType::Exact, target, 100))
            .or_else(|| similar(targets, &said).map(|(ratio, target)| found(MatchType::Fuzzy, target, ratio)))
            .or_else(|| synonym(targets, &said).map(|target| found(MatchType::Synonym, target, 100)))
    })
}

/// By `domain.name`, by the title, or by the part after the domain if only one target has it.
fn exact<'t>(targets: &'t [Target], said: &str) -> Option<&'t Target> {
    let whole = targets.iter().find(|target| words(&target.name) == said);
    whole.or_else(|| targets.iter().find(|target| words(&target.title) == said)).or_else(|| {
        let mut named = targets.iter().filter(|target| words(tail(target)) == said);
        named.next().filter(|_| named.next().is_none())
    })
}

/// The most similar name, if it is similar enough. Of equally similar ones, the first; a part after the domain counts
/// only if no other target has an equally similar one.
fn similar<'t>(targets: &'t [Target], said: &str) -> Option<(u32, &'t Target)> {
    let best = |name: &dyn Fn(&Target) -> String| {
        let mut best: Option<(u32, &Target, bool)> = None;
        for target in targets {
            let ratio = ratio(said, &name(target));
            match &mut best {
                Some((most, _, alone)) if ratio == *most => *alone = false,
                Some((most, ..)) if ratio < *most => {}
                _ if ratio < ALIKE => {}
                _ => best = Some((ratio, target, true)),
            }
        }
        best
    };
    let whole = best(&|target| words(&target.name)).map(|(ratio, target, _)| (ratio, target));
    let part = best(&|target| words(tail(target))).filter(|(_, _, alone)| *alone);
    let part = part.map(|(ratio, target, _)| (ratio, target));
    // The whole name wins a tie.
    [part, whole].into_iter().flatten().max_by_key(|(ratio, _)| *ratio)
}

fn synonym<'t>(targets: &'t [Target], said: &str) -> Option<&'t Target> {
    targets.iter().find(|target| target.synonyms.iter().any(|synonym| words(synonym) == said))
}

fn tail(target: &Target) -> &str {
    target.name.split_once('.').map_or(target.name.as_str(), |(_, tail)| tail)
}

/// Twice the length of the longest common subsequence, as a share of both lengths; in percent, rounded.
fn ratio(a: &str, b: &str) -> u32 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (shorter, both) = (a.len().min(b.len()), a.len() + b.len());
    // No subsequence is longer than the shorter name.
    if both == 0 || 200 * shorter < (ALIKE as usize - 1) * both {
        return 0;
    }
    let mut row = vec![0_usize; b.len() + 1];
    for one in &a {
        let mut before = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if one == other { before + 1 } else { above.max(row[at]) };
            before = above;
        }
    }
    ((200 * row[b.len()] + both / 2) / both) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrase::vocabulary::TargetKind;

    fn target(name: &str, title: &str, synonyms: &[&str]) -> Target {
        Target {
            name: name.into(),
            kind: TargetKind::Tool,
            title: title.into(),
            synonyms: synonyms.iter().map(|one| (*one).to_owned()).collect(),
            ..Target::default()
        }
    }

    fn found(candidates: &[&str]) -> (String, MatchType) {
        let targets = [
            target("shop.create_profile", "Sign up", &["register", "open account"]),
            target("shop.process_payment", "Pay", &["make_payment", "checkout"]),
            target("club.list", "Show members", &[]),
            target("shop.list", "Show orders", &["orders"]),
        ];
        let found = look_up(&targets, candidates);
        found.map_or((String::new(), MatchType::NotFound), |found| (found.target.name.clone(), found.match_type))
    }

    #[test]
    fn a_name_is_exact_similar_or_a_synonym() {
        for (name, target, how) in [
            ("shop.create_profile", "shop.create_profile", MatchType::Exact),
            ("Shop Create-Profile", "shop.create_profile", MatchType::Exact),
            ("create_profile", "shop.create_profile", MatchType::Exact),
            ("sign up", "shop.create_profile", MatchType::Exact),
            ("create_profil", "shop.create_profile", MatchType::Fuzzy),
            ("proces_paymnet", "shop.process_payment", MatchType::Fuzzy),
            ("club.lists", "club.list", MatchType::Fuzzy),
            ("Make Payment", "shop.process_payment", MatchType::Synonym),
            ("checkout", "shop.process_payment", MatchType::Synonym),
            ("chekout", "", MatchType::NotFound),
            ("list", "", MatchType::NotFound),
            ("delete_everything", "", MatchType::NotFound),
            ("", "", MatchType::NotFound),
        ] {
            assert_eq!(found(&[name]), (target.to_owned(), how), "{name}");
        }
    }

    #[test]
    fn the_first_candidate_that_matches_in_any_way_wins() {
        let synonym_first = found(&["no such thing", "checkout", "shop.create_profile"]);
        assert_eq!(synonym_first, ("shop.process_payment".to_owned(), MatchType::Synonym));
        assert_eq!(found(&["nothing", "nowhere", "never"]).1, MatchType::NotFound);
        assert_eq!(found(&[]).1, MatchType::NotFound);
    }

    #[test]
    fn the_cutoff_is_eighty_percent() {
        assert_eq!((ratio("abcde", "abcdx"), ratio("abcdefgh", "abcdexyz")), (80, 63));
        assert_eq!((ratio("create profil", "create profile"), ratio("", "")), (96, 0));
        assert_eq!(found(&[&"x".repeat(MAX_NAME + 1)]).1, MatchType::NotFound);
    }
}
