//! The forms of ids, in one table. Ids are made elsewhere, from randomness that this crate does
//! not have; here they are only judged. No regular expressions: each form is a prefix and a tail.

use std::fmt;

/// Longer ids are refused everywhere: they become file names and keys.
pub const LONGEST: usize = 128;

/// What may follow the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// At least three digits.
    Digits,
    /// Exactly eight lowercase hex digits.
    Hex8,
    /// Letters, digits, `_`, `-`.
    Word,
}

/// A kind of id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdForm {
    prefix: &'static str,
    tail: Tail,
}

/// `SPEC-NNN`, the id of a product spec (its artifact has another).
pub const SPEC: IdForm = IdForm::of("SPEC-", Tail::Digits);
/// `PIL-NNN`.
pub const PILLAR: IdForm = IdForm::of("PIL-", Tail::Digits);
/// `EPC-NNN`.
pub const EPIC: IdForm = IdForm::of("EPC-", Tail::Digits);
/// `STR-NNN`.
pub const STORY: IdForm = IdForm::of("STR-", Tail::Digits);
/// `TSK-NNN`, a task in a spec.
pub const SPEC_TASK: IdForm = IdForm::of("TSK-", Tail::Digits);
/// `T-...`, a task in a project.
pub const TASK: IdForm = IdForm::of("T-", Tail::Word);
/// `MM-...`, a micro module.
pub const MODULE: IdForm = IdForm::of("MM-", Tail::Word);
/// `MP-...`, a micro plan.
pub const MICRO_PLAN: IdForm = IdForm::of("MP-", Tail::Word);
/// `CONTRIB-...`.
pub const CONTRIBUTION: IdForm = IdForm::of("CONTRIB-", Tail::Word);
/// `CP-` and 8 hex digits.
pub const CONTEXT_PACK: IdForm = IdForm::of("CP-", Tail::Hex8);
/// `ICE-` and 8 hex digits.
pub const EXCEPTION: IdForm = IdForm::of("ICE-", Tail::Hex8);
/// `ESC-` and 8 hex digits.
pub const ESCALATION: IdForm = IdForm::of("ESC-", Tail::Hex8);
/// `SHIP-` and 8 hex digits.
pub const SHIP: IdForm = IdForm::of("SHIP-", Tail::Hex8);
/// `REL-` and 8 hex digits.
pub const RELEASE: IdForm = IdForm::of("REL-", Tail::Hex8);
/// `PROP-` and 8 hex digits.
pub const PROPOSAL: IdForm = IdForm::of("PROP-", Tail::Hex8);
/// `CHAL-` and 8 hex digits.
pub const CHALLENGE: IdForm = IdForm::of("CHAL-", Tail::Hex8);
/// `ADJ-` and 8 hex digits.
pub const ADJUDICATION: IdForm = IdForm::of("ADJ-", Tail::Hex8);

impl IdForm {
    const fn of(prefix: &'static str, tail: Tail) -> Self {
        Self { prefix, tail }
    }

    /// An artifact's id: a type prefix of section 8.2 and 8 hex digits.
    pub(crate) const fn artifact(prefix: &'static str) -> Self {
        Self::of(prefix, Tail::Hex8)
    }

    /// Whether the text has this form.
    pub fn accepts(self, text: &str) -> bool {
        let Some(tail) = text.strip_prefix(self.prefix) else {
            return false;
        };
        if text.len() > LONGEST {
            return false;
        }
        match self.tail {
            Tail::Digits => tail.len() >= 3 && tail.bytes().all(|b| b.is_ascii_digit()),
            Tail::Hex8 => {
                tail.len() == 8 && tail.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            }
            Tail::Word => {
                !tail.is_empty()
                    && tail
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            }
        }
    }
}

impl fmt::Display for IdForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = match self.tail {
            Tail::Digits => "NNN",
            Tail::Hex8 => "xxxxxxxx",
            Tail::Word => "...",
        };
        write!(f, "{}{tail}", self.prefix)
    }
}

/// `id@version`, with the form of the id and exactly one version.
pub fn is_reference(form: IdForm, text: &str) -> bool {
    text.split_once('@').is_some_and(|(id, version)| {
        form.accepts(id) && version.parse::<crate::version::Version>().is_ok()
    })
}

/// `MM-...@range`: a version, or a range of them written without blanks around it.
pub fn is_ranged_reference(text: &str) -> bool {
    text.split_once('@').is_some_and(|(id, range)| {
        MODULE.accepts(id)
            && !range.is_empty()
            && range.len() <= LONGEST
            && range.trim() == range
            && range.bytes().any(|b| b.is_ascii_digit() || b == b'*')
            && range.bytes().all(|b| {
                b.is_ascii_digit()
                    || matches!(b, b'.' | b'*' | b'x' | b' ' | b',' | b'|')
                    || matches!(b, b'^' | b'~' | b'=' | b'<' | b'>' | b'-')
            })
    })
}

/// `id@version` of anything that has both.
pub fn is_any_reference(text: &str) -> bool {
    text.split_once('@').is_some_and(|(id, version)| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        !id.is_empty()
            && id.len() <= LONGEST
            && id.bytes().all(plain)
            && version.parse::<crate::version::Version>().is_ok()
    })
}
