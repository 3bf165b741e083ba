//! The codes of all problems a pack can have. A code is never reused; each has a page in `docs/errors/`.

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal $severity:ident,)*) => {
        /// What is wrong with a pack.
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

            /// How bad it is.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }
        }

        /// Every code, in order: each has a page `docs/errors/<code>.md`.
        pub const CODES: &[&str] = &[$($id),*];
    };
}

codes! {
    /// Not YAML.
    YamlSyntax = "P0001" Error,
    /// The same key twice.
    DuplicateKey = "P0002" Error,
    /// YAML that packs may not use.
    YamlUnsupported = "P0003" Error,
    /// Beyond a bound.
    TooLarge = "P0004" Error,
    /// A file or folder that means nothing to Brain.
    UnknownFile = "P0005" Warning,
    /// A file that cannot be read.
    Unreadable = "P0006" Error,
    /// A folder without `pack.yaml`.
    NoPackFile = "P0007" Error,
    /// A pack that another one needs, or the same pack twice.
    PackSet = "P0008" Error,
    /// XML that cannot be imported.
    BadXml = "P0009" Error,

    /// A key that means nothing here.
    UnknownKey = "P0101" Error,
    /// A key that must be there.
    MissingKey = "P0102" Error,
    /// Another kind of value is needed.
    WrongKind = "P0103" Error,
    /// Not a name.
    BadName = "P0104" Error,
    /// Not one of the words allowed here.
    UnknownChoice = "P0105" Error,
    /// Planned, but not in this version.
    NotYet = "P0106" Error,
    /// Not a duration.
    BadDuration = "P0107" Error,
    /// A number beyond its range.
    OutOfRange = "P0108" Error,

    /// Not a type of the short form.
    UnknownType = "P0201" Error,
    /// Not a JSON Schema.
    BadSchema = "P0202" Error,
    /// A default that its own schema refuses.
    BadDefault = "P0203" Error,
    /// An attribute that does not go with its type.
    BadAttribute = "P0204" Error,

    /// No such record type.
    UnknownRecord = "P0301" Error,
    /// No such field.
    UnknownField = "P0302" Error,
    /// No such state.
    UnknownState = "P0303" Error,
    /// A state that no record can get to.
    UnreachableState = "P0304" Error,
    /// The same record type twice.
    DuplicateRecord = "P0305" Error,
    /// The record type lacks what the operation needs.
    RecordLacks = "P0306" Error,
    /// A required field that nothing fills.
    FieldNotSet = "P0307" Error,
    /// A required reference that would be emptied.
    ClearRequired = "P0308" Error,

    /// No such tool.
    UnknownTool = "P0401" Error,
    /// The same tool or playbook twice.
    DuplicateTool = "P0402" Error,
    /// A tool with an effect that nobody is asked about and that cannot be undone.
    UnaskedEffect = "P0403" Error,
    /// An outgoing host that the pack does not declare.
    UndeclaredHost = "P0404" Error,
    /// A secret in clear text.
    SecretValue = "P0405" Error,
    /// It is not clear which record is meant.
    WhichRecord = "P0406" Error,
    /// A required argument is missing.
    MissingArgument = "P0407" Error,
    /// An argument that the tool does not take.
    UnknownArgument = "P0408" Error,
    /// An argument that does not fit.
    BadArgument = "P0409" Error,
    /// No such input.
    UnknownInput = "P0410" Error,
    /// A tool with an effect that does not say whether it can be undone.
    UndoNotSaid = "P0411" Warning,
    /// No such native function.
    UnknownFunction = "P0412" Error,

    /// A slot that the tool has no input for.
    UnknownSlot = "P0501" Error,
    /// A phrase that would match anything.
    NoWords = "P0502" Error,
    /// A phrase that means two things.
    AmbiguousPhrase = "P0503" Error,
    /// A phrase that cannot be read.
    BadPhrase = "P0504" Error,

    /// The same step id twice.
    DuplicateStep = "P0601" Error,
    /// No such step.
    UnknownStep = "P0602" Error,
    /// Steps that wait for each other.
    StepCycle = "P0603" Error,
    /// A step used before it is done.
    StepNotBefore = "P0604" Error,
    /// A step that cannot be part of one commit.
    NotAtomic = "P0605" Error,
    /// A playbook that comes to itself again.
    PlaybookLoop = "P0606" Error,
    /// More steps than a playbook may come to.
    TooManySteps = "P0607" Error,

    /// Not FEEL.
    BadExpression = "P0701" Error,
    /// Not a template.
    BadTemplate = "P0702" Error,
    /// A name that expressions here do not see.
    UnknownName = "P0703" Error,

    /// A corpus row that no tool can satisfy.
    BadExpectation = "P0801" Error,
    /// The same utterance twice.
    DuplicateUtterance = "P0802" Warning,

    /// A decision table that does not fit together.
    BadTable = "P0901" Error,
    /// A cell that is no test.
    BadCell = "P0902" Error,
    /// A rule that never comes to count.
    DeadRule = "P0903" Warning,
    /// Rules that give different columns.
    UnevenRules = "P0904" Warning,
    /// Steps of a tool that may not add any.
    MayNotInject = "P0905" Error,
    /// `may_inject` on a tool whose behavior cannot add steps.
    CannotInject = "P0906" Error,

    /// A label that is somebody else's token, label or alias.
    LabelClash = "P1001" Error,
    /// A slot that nothing uses.
    UnusedSlot = "P1002" Warning,
    /// A role that nothing uses.
    UnusedRole = "P1003" Warning,
    /// A rule about slots that names something there is not.
    UnknownRuleSlot = "P1004" Error,
    /// A stand-in that its tool does not give.
    NoStandIn = "P1005" Error,
    /// A choice compared with its label.
    LabelCompared = "P1006" Warning,
    /// Something people see has no name for them.
    NoNameForPeople = "P1007" Warning,
    /// People are shown a word they do not use.
    InternalWord = "P1008" Warning,
    /// A list that a writing tool relies on and that no index guards.
    UnindexedList = "P1009" Error,
}

#[cfg(test)]
mod tests {
    use super::*;

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
