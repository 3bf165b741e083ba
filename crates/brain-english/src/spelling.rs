//! British to American spelling, so that both are the same word.

/// British, American: words that no rule covers. Sorted.
const PAIRS: [(&str, &str); 74] = [
    ("acknowledgement", "acknowledgment"),
    ("aeroplane", "airplane"),
    ("aluminium", "aluminum"),
    ("analyse", "analyze"),
    ("analysed", "analyzed"),
    ("analysing", "analyzing"),
    ("armour", "armor"),
    ("behaviour", "behavior"),
    ("behaviours", "behaviors"),
    ("calibre", "caliber"),
    ("cancelled", "canceled"),
    ("cancelling", "canceling"),
    ("catalogue", "catalog"),
    ("catalogues", "catalogs"),
    ("centre", "center"),
    ("centres", "centers"),
    ("cheque", "check"),
    ("cheques", "checks"),
    ("colour", "color"),
    ("coloured", "colored"),
    ("colours", "colors"),
    ("counselling", "counseling"),
    ("defence", "defense"),
    ("dialled", "dialed"),
    ("dialling", "dialing"),
    ("dialogue", "dialog"),
    ("dialogues", "dialogs"),
    ("draught", "draft"),
    ("enquire", "inquire"),
    ("enquiries", "inquiries"),
    ("enquiry", "inquiry"),
    ("enrol", "enroll"),
    ("enrolment", "enrollment"),
    ("favour", "favor"),
    ("favourite", "favorite"),
    ("favourites", "favorites"),
    ("fibre", "fiber"),
    ("flavour", "flavor"),
    ("fuelled", "fueled"),
    ("fulfil", "fulfill"),
    ("fulfilment", "fulfillment"),
    ("grey", "gray"),
    ("harbour", "harbor"),
    ("honour", "honor"),
    ("humour", "humor"),
    ("instalment", "installment"),
    ("instalments", "installments"),
    ("jewellery", "jewelry"),
    ("judgement", "judgment"),
    ("kerb", "curb"),
    ("labelled", "labeled"),
    ("labelling", "labeling"),
    ("labour", "labor"),
    ("licence", "license"),
    ("licences", "licenses"),
    ("litre", "liter"),
    ("litres", "liters"),
    ("metre", "meter"),
    ("metres", "meters"),
    ("modelling", "modeling"),
    ("mould", "mold"),
    ("neighbour", "neighbor"),
    ("neighbours", "neighbors"),
    ("offence", "offense"),
    ("plough", "plow"),
    ("programme", "program"),
    ("programmes", "programs"),
    ("theatre", "theater"),
    ("totalled", "totaled"),
    ("travelled", "traveled"),
    ("travelling", "traveling"),
    ("tyre", "tire"),
    ("tyres", "tires"),
    ("vapour", "vapor"),
];

/// Words that end in `ise` in both spellings. Sorted.
const ALWAYS_ISE: [&str; 30] = [
    "advertise", "advise", "arise", "bruise", "compromise", "concise", "cruise", "demise", "devise", "disguise",
    "enterprise", "exercise", "expertise", "franchise", "improvise", "likewise", "merchandise", "noise", "otherwise",
    "poise", "praise", "precise", "premise", "promise", "raise", "revise", "rise", "supervise", "surprise", "wise",
];

/// The American spelling of a folded word.
pub fn american(word: String) -> String {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    if let Ok(at) = PAIRS.binary_search_by(|(british, _)| (*british).cmp(word.as_str())) {
        return PAIRS[at].1.to_owned();
    }
    for ending in ["ise", "ised", "ises", "ising", "isation", "isations"] {
        let Some(stem) = word.strip_suffix(ending) else { continue };
        let base = format!("{stem}ise");
        if stem.len() < 3 || ALWAYS_ISE.iter().any(|kept| base.ends_with(kept)) {
            return word;
        }
        return format!("{stem}iz{}", &ending[2..]);
    }
    word
}

/// Words that are often written for others that sound alike, and slips in words too short to be compared by their letters.
const SLIPS: [(&str, &str); 16] = [
    ("ad", "add"),
    ("adn", "and"),
    ("an", "and"),
    ("fo", "of"),
    ("form", "from"),
    ("fro", "for"),
    ("giv", "give"),
    ("inn", "in"),
    ("lst", "list"),
    ("of", "off"),
    ("off", "of"),
    ("ot", "to"),
    ("tel", "tell"),
    ("teh", "the"),
    ("too", "to"),
    ("wit", "with"),
];

/// Whether a word is often written for another.
pub fn is_slip(said: &str, meant: &str) -> bool {
    said.len() <= 4 && SLIPS.contains(&(said, meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(PAIRS.is_sorted());
        assert!(ALWAYS_ISE.is_sorted());
    }

    #[test]
    fn british_spelling_becomes_american() {
        let pairs = [
            ("finalise", "finalize"),
            ("finalised", "finalized"),
            ("organising", "organizing"),
            ("cheque", "check"),
            ("organisations", "organizations"),
            ("enquiry", "inquiry"),
            ("advise", "advise"),
            ("raised", "raised"),
            ("promising", "promising"),
            ("color", "color"),
            ("rise", "rise"),
            ("supervised", "supervised"),
        ];
        for (said, expected) in pairs {
            assert_eq!(american(said.to_owned()), expected);
        }
    }
}
