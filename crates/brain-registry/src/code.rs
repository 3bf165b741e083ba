//! Codes of pack problems. A code is never reused; each has a page in `docs/errors/`.

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal $severity:ident,)*) => {
        /// The kind of a problem in a pack.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// The stable code.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// Whether it is an error or a warning.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }
        }

        /// Every code, in order: each has a page `docs/errors/<code>.md`.
        pub const CODES: &[&str] = &[$($id),*];

        const PAGES: &[(Code, &str)] =
            &[$((Code::$name, include_str!(concat!("../../../docs/errors/", $id, ".md")))),*];
    };
}

codes! {
    /// Not YAML.
    YamlSyntax = "P0001" Error,
    /// A key occurs twice.
    DuplicateKey = "P0002" Error,
    /// A YAML feature that packs must not use.
    YamlUnsupported = "P0003" Error,
    /// A limit is exceeded.
    TooLarge = "P0004" Error,
    /// A file or folder that Brain does not know.
    UnknownFile = "P0005" Warning,
    /// A file that cannot be read.
    Unreadable = "P0006" Error,
    /// A folder without `pack.yaml`.
    NoPackFile = "P0007" Error,
    /// A required pack is missing, or a pack is given twice.
    PackSet = "P0008" Error,
    /// XML that cannot be imported.
    BadXml = "P0009" Error,

    /// An unknown key.
    UnknownKey = "P0101" Error,
    /// A required key is missing.
    MissingKey = "P0102" Error,
    /// The value has the wrong type.
    WrongKind = "P0103" Error,
    /// Not a name.
    BadName = "P0104" Error,
    /// Not one of the allowed words.
    UnknownChoice = "P0105" Error,
    /// Planned, but not supported by this version.
    NotYet = "P0106" Error,
    /// Not a duration.
    BadDuration = "P0107" Error,
    /// A number is out of range.
    OutOfRange = "P0108" Error,

    /// An unknown short-form type.
    UnknownType = "P0201" Error,
    /// Not a JSON Schema.
    BadSchema = "P0202" Error,
    /// A default that does not fit its own schema.
    BadDefault = "P0203" Error,
    /// An attribute that its type does not have.
    BadAttribute = "P0204" Error,

    /// An unknown record type.
    UnknownRecord = "P0301" Error,
    /// An unknown field.
    UnknownField = "P0302" Error,
    /// An unknown state.
    UnknownState = "P0303" Error,
    /// A state that no record can reach.
    UnreachableState = "P0304" Error,
    /// A record type is declared twice.
    DuplicateRecord = "P0305" Error,
    /// The record type lacks what an operation needs.
    RecordLacks = "P0306" Error,
    /// A required field that is never set.
    FieldNotSet = "P0307" Error,
    /// A required reference that would be cleared.
    ClearRequired = "P0308" Error,

    /// An unknown tool.
    UnknownTool = "P0401" Error,
    /// A tool or playbook is declared twice.
    DuplicateTool = "P0402" Error,
    /// An effect without consent and without undo.
    UnaskedEffect = "P0403" Error,
    /// A host that the pack does not declare.
    UndeclaredHost = "P0404" Error,
    /// A secret in clear text.
    SecretValue = "P0405" Error,
    /// Several records could be meant.
    WhichRecord = "P0406" Error,
    /// A required argument is missing.
    MissingArgument = "P0407" Error,
    /// An unknown argument.
    UnknownArgument = "P0408" Error,
    /// An argument that does not fit its schema.
    BadArgument = "P0409" Error,
    /// An unknown input.
    UnknownInput = "P0410" Error,
    /// A tool with an effect and without `undo`.
    UndoNotSaid = "P0411" Warning,
    /// An unknown native function.
    UnknownFunction = "P0412" Error,
    /// An `undo` of a tool whose steps are undone instead.
    UndoOfPlaybook = "P0413" Warning,

    /// A slot without an input of that name.
    UnknownSlot = "P0501" Error,
    /// A phrase without words, which would match anything.
    NoWords = "P0502" Error,
    /// A phrase of two targets.
    AmbiguousPhrase = "P0503" Error,
    /// A phrase with a syntax error.
    BadPhrase = "P0504" Error,

    /// A step id occurs twice.
    DuplicateStep = "P0601" Error,
    /// An unknown step.
    UnknownStep = "P0602" Error,
    /// Steps that depend on each other.
    StepCycle = "P0603" Error,
    /// A step is used before it is done.
    StepNotBefore = "P0604" Error,
    /// A step that cannot be part of one commit.
    NotAtomic = "P0605" Error,
    /// A playbook that expands to itself.
    PlaybookLoop = "P0606" Error,
    /// A playbook that expands to too many steps.
    TooManySteps = "P0607" Error,

    /// An invalid FEEL expression.
    BadExpression = "P0701" Error,
    /// An invalid template.
    BadTemplate = "P0702" Error,
    /// A name that is not in scope.
    UnknownName = "P0703" Error,

    /// A corpus row that no tool can satisfy.
    BadExpectation = "P0801" Error,
    /// An utterance occurs twice.
    DuplicateUtterance = "P0802" Warning,

    /// A decision table whose parts do not match.
    BadTable = "P0901" Error,
    /// A cell that is not a unary test.
    BadCell = "P0902" Error,
    /// A rule that can never apply.
    DeadRule = "P0903" Warning,
    /// Rules with different result columns.
    UnevenRules = "P0904" Warning,
    /// Injected steps without `may_inject`.
    MayNotInject = "P0905" Error,
    /// `may_inject` on a tool whose behavior cannot add steps.
    CannotInject = "P0906" Error,

    /// A label that is another value's token, label or alias.
    LabelClash = "P1001" Error,
    /// An unused slot.
    UnusedSlot = "P1002" Warning,
    /// An unused role.
    UnusedRole = "P1003" Warning,
    /// A slot rule that names an unknown slot or value.
    UnknownRuleSlot = "P1004" Error,
    /// A placeholder tool that does not return the field.
    NoStandIn = "P1005" Error,
    /// A choice is compared with its label.
    LabelCompared = "P1006" Warning,
    /// Something shown to people has no title or label.
    NoNameForPeople = "P1007" Warning,
    /// An internal name in text shown to people.
    InternalWord = "P1008" Warning,
    /// A writing tool relies on a list without an index.
    UnindexedList = "P1009" Error,

    /// An unknown kind of action.
    UnknownTier = "P1101" Error,
    /// A kind of action is declared twice.
    DuplicateTier = "P1102" Error,
    /// A kind of action that no tool belongs to.
    UnusedTier = "P1103" Warning,
}

impl Code {
    /// Every code, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        PAGES.iter().map(|(code, _)| *code)
    }

    /// The code that is written so; case does not matter.
    pub fn parse(id: &str) -> Option<Self> {
        Self::all().find(|code| code.id().eq_ignore_ascii_case(id))
    }

    /// The page of the code, as Markdown: `docs/errors/<code>.md`.
    pub fn page(self) -> &'static str {
        PAGES.iter().find(|(code, _)| *code == self).map_or("", |(_, page)| page)
    }

    /// The title of the page, without the code.
    pub fn title(self) -> &'static str {
        let heading = self.page().lines().next().unwrap_or_default();
        heading.split_once(": ").map_or(heading, |(_, title)| title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_begins_with_its_code_and_a_title() {
        for code in Code::all() {
            assert!(code.page().starts_with(&format!("# {}: ", code.id())), "{}", code.id());
            assert!(!code.title().is_empty() && !code.title().starts_with('#'), "{}", code.id());
            assert_eq!(Code::parse(&code.id().to_lowercase()), Some(code));
        }
        assert_eq!(Code::parse("nonsense"), None);
    }

    #[test]
    fn codes_are_in_order_and_never_repeat() {
        assert!(CODES.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors");
        let mut pages: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| {
                entry.unwrap().file_name().into_string().unwrap().strip_suffix(".md").map(str::to_owned)
            })
            .filter(|page| page.len() == 5 && page.starts_with('P'))
            .collect();
        pages.sort();
        assert_eq!(pages, CODES);
    }
}
