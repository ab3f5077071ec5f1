//! The kinds of ids, in one table. Ids are made elsewhere, from randomness that this crate does not
//! have; here they are only judged.

use kernel::form::{Form, Id, Rule, Tail, Wrong};
pub use kernel::form::{LONGEST, placeholder};
pub use kernel::module::MODULE;

/// `SPEC-NNN`, the id of a product spec (its artifact has another).
pub const SPEC: Id = Id::new("SPEC-", Tail::Digits);
/// `PIL-NNN`.
pub const PILLAR: Id = Id::new("PIL-", Tail::Digits);
/// `EPC-NNN`.
pub const EPIC: Id = Id::new("EPC-", Tail::Digits);
/// `STR-NNN`.
pub const STORY: Id = Id::new("STR-", Tail::Digits);
/// `TSK-NNN`, a task in a spec.
pub const SPEC_TASK: Id = Id::new("TSK-", Tail::Digits);
/// `T-...`, a task in a project.
pub const TASK: Id = Id::new("T-", Tail::Word);
/// `MP-...`, a micro plan.
pub const MICRO_PLAN: Id = Id::new("MP-", Tail::Word);
/// `CONTRIB-...`.
pub const CONTRIBUTION: Id = Id::new("CONTRIB-", Tail::Word);
/// `CP-` and 8 hex digits.
pub const CONTEXT_PACK: Id = Id::new("CP-", Tail::Hex);
/// `ICE-` and 8 hex digits.
pub const EXCEPTION: Id = Id::new("ICE-", Tail::Hex);
/// `ESC-` and 8 hex digits.
pub const ESCALATION: Id = Id::new("ESC-", Tail::Hex);
/// `SHIP-` and 8 hex digits.
pub const SHIP: Id = Id::new("SHIP-", Tail::Hex);
/// `REL-` and 8 hex digits.
pub const RELEASE: Id = Id::new("REL-", Tail::Hex);
/// `PROP-` and 8 hex digits.
pub const PROPOSAL: Id = Id::new("PROP-", Tail::Hex);
/// `CHAL-` and 8 hex digits.
pub const CHALLENGE: Id = Id::new("CHAL-", Tail::Hex);
/// `ADJ-` and 8 hex digits.
pub const ADJUDICATION: Id = Id::new("ADJ-", Tail::Hex);

/// ISO 8601, as exactly as a pattern can say it.
pub const MOMENT: Form = Form::Text(Rule {
    pattern: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}|$)",
    most: 0,
    judge: |text| match kernel::time::is_moment(text) {
        true => None,
        false => {
            let shown: String = text.chars().take(40).collect();
            let what = format!("{shown:?} should be {}", kernel::time::MOMENT);
            Wrong::content("bad_moment", what)
        }
    },
});
