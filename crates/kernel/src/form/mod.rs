//! The form of a document as data: one table says what its JSON Schema is (`schema.rs`) and what is
//! wrong with a value (`walk.rs`), so what a role is shown and what a machine accepts cannot part.
//! `document!` and `words!` declare a type and its table together.
//!
//! It knows no document, and compares no member with another: rules across members belong to whoever
//! owns the document.

mod id;
mod said;
mod schema;
mod walk;

pub use id::{Id, LONGEST, Tail};
pub use said::{SAID, placeholder};
pub use walk::{Cause, Fault};

use crate::Time;

/// What a value must be.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// Anything.
    Any,
    /// `true` or `false`.
    Flag,
    /// A whole number, from this one on.
    Count(u64),
    /// A number that is not negative.
    Measure,
    Text(Rule),
    Id(Id),
    /// An id of this kind, or of any, with a version: `T-a@1.0.0`.
    Versioned(Option<Id>),
    /// One of these texts.
    Word(&'static [&'static str]),
    List(&'static Form, Size),
    /// An object whose keys are the writer's own.
    Map(&'static Form, Size),
    /// An object with these members and no others.
    Object(&'static Object),
    /// The same as a role writes it: without the members that the engine gives.
    Part(&'static Object),
    /// The same, or `null`.
    Nullable(&'static Form),
    /// One of these; what is wrong is said of the last.
    Either(&'static [Form]),
    /// An object that says in one member what another holds.
    Tagged(&'static Tagged),
}

/// How many items there are, and what is said of a list that has too few or too many.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub least: usize,
    pub most: usize,
    pub code: &'static str,
    /// Empty: how many there are, and how many there should be.
    pub why: &'static str,
}

impl Size {
    /// As many as there are.
    pub const ANY: Self = Self::from(0);
    /// At least one.
    pub const SOME: Self = Self::from(1);

    const fn from(least: usize) -> Self {
        Self {
            least,
            most: usize::MAX,
            code: "too_few",
            why: "",
        }
    }

    /// The same with words of its own.
    pub const fn or(self, code: &'static str, why: &'static str) -> Self {
        Self { code, why, ..self }
    }

    /// Exactly so many.
    pub const fn exactly(count: usize, code: &'static str) -> Self {
        Self {
            least: count,
            most: count,
            code,
            why: "",
        }
    }
}

/// What a text must be beyond a text.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// As a schema says it; empty: it says nothing.
    pub pattern: &'static str,
    /// The most characters; 0: as many as there are.
    pub most: usize,
    /// What is wrong, if something is.
    pub judge: fn(&str) -> Option<Wrong>,
}

/// What is wrong with a text.
#[derive(Debug)]
pub struct Wrong {
    pub code: &'static str,
    pub what: String,
    pub cause: Cause,
}

impl Wrong {
    /// An id that is none.
    pub fn id(what: impl Into<String>) -> Self {
        let (code, what, cause) = (walk::BAD_ID, what.into(), Cause::Id);
        Self { code, what, cause }
    }

    /// A fault that the pattern finds too.
    pub fn content(code: &'static str, what: impl Into<String>) -> Option<Self> {
        let (what, cause) = (what.into(), Cause::Content);
        Some(Self { code, what, cause })
    }
}

/// Any text.
pub const TEXT: Form = Form::Text(Rule {
    pattern: "",
    most: 0,
    judge: |_| None,
});

/// A text that is not blank.
pub const FILLED: Form = Form::Text(Rule {
    pattern: r"\S",
    most: 0,
    judge: |text| {
        let blank = text.trim().is_empty();
        blank.then(|| Wrong::content("empty_field", "it is empty"))?
    },
});

/// An object with members of its own.
#[derive(Debug)]
pub struct Object {
    pub name: &'static str,
    pub about: &'static str,
    pub members: &'static [Member],
}

/// One member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub about: &'static str,
    pub form: Form,
    pub presence: Presence,
}

/// Whether a member must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
    /// Required of the document, and the engine's to write: no role returns it.
    Given,
}

/// A member that must be there.
pub const fn must(name: &'static str, about: &'static str, form: Form) -> Member {
    Member {
        name,
        about,
        form,
        presence: Presence::Required,
    }
}

/// A member that may be left out.
pub const fn may(name: &'static str, about: &'static str, form: Form) -> Member {
    Member {
        presence: Presence::Optional,
        ..must(name, about, form)
    }
}

/// A member that the engine writes.
pub const fn given(name: &'static str, about: &'static str, form: Form) -> Member {
    Member {
        presence: Presence::Given,
        ..must(name, about, form)
    }
}

/// An object that says in `tag` what `content` holds.
#[derive(Debug)]
pub struct Tagged {
    pub name: &'static str,
    pub about: &'static str,
    pub tag: &'static str,
    pub content: &'static str,
    pub variants: &'static [(&'static str, &'static Object)],
}

/// What a role may return: the members of one of these objects, save those that the engine gives.
/// More than that is allowed on top, such as a summary for people, and reaches nobody.
#[derive(Debug, Clone, Copy)]
pub struct Answer(pub &'static [&'static Object]);

/// A named kind of document.
#[derive(Debug, Clone, Copy)]
pub struct Document {
    /// The rule that describes it.
    pub section: &'static str,
    pub about: &'static str,
    pub form: Form,
    /// What only the members together can break.
    pub rules: fn(&serde_json::Value, &mut Vec<Fault>),
    /// Members that it does not have.
    pub others: Others,
}

/// What becomes of members that a document does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    Refused,
    PassedOver,
}

impl Document {
    /// A document without rules across its members.
    pub const fn of(section: &'static str, about: &'static str, form: Form) -> Self {
        Self {
            section,
            about,
            form,
            rules: |_, _| {},
            others: Others::Refused,
        }
    }

    /// The same, and members that it does not have are passed over.
    pub const fn open(self) -> Self {
        let others = Others::PassedOver;
        Self { others, ..self }
    }

    /// The same with rules.
    pub const fn with(self, rules: fn(&serde_json::Value, &mut Vec<Fault>)) -> Self {
        Self { rules, ..self }
    }

    /// As the document calls it.
    pub fn name(&self) -> &'static str {
        match self.form {
            Form::Object(object) => object.name,
            Form::Tagged(tagged) => tagged.name,
            _ => "",
        }
    }

    /// Everything that is wrong with a value; rules are asked of what has its shape.
    pub fn faults(&self, value: &serde_json::Value) -> Vec<Fault> {
        let mut found = self.form.faults(value);
        if !found.iter().any(|fault| fault.cause.is_shape()) {
            (self.rules)(value, &mut found);
        }
        found
    }
}

/// A type that has a form.
pub trait Formed {
    const FORM: Form;
}

impl Formed for String {
    const FORM: Form = TEXT;
}

impl Formed for bool {
    const FORM: Form = Form::Flag;
}

impl Formed for u64 {
    const FORM: Form = Form::Count(0);
}

impl Formed for f64 {
    const FORM: Form = Form::Measure;
}

impl Formed for u32 {
    const FORM: Form = Form::Count(0);
}

impl Formed for usize {
    const FORM: Form = Form::Count(0);
}

impl Formed for Time {
    const FORM: Form = TEXT;
}

impl<T: Formed> Formed for Vec<T> {
    const FORM: Form = Form::List(&T::FORM, Size::ANY);
}

impl<T: Formed> Formed for Option<T> {
    const FORM: Form = Form::Nullable(&T::FORM);
}

impl Formed for crate::pack::Permission {
    const FORM: Form = Form::Word(&["METADATA_ONLY", "SUMMARY_ONLY", "CONTRACT_ONLY", "FULL"]);
}

/// A closed list of words as a type: its texts, its form, and how it is stored.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $type:ident { $($(#[$of:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $type { $($(#[$of])* $variant),+ }

        impl $type {
            /// All of them, in order.
            $vis const ALL: [Self; [$($word),+].len()] = [$($type::$variant),+];
            const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word.
            $vis fn as_str(self) -> &'static str {
                Self::WORDS[self as usize]
            }

            /// The one of a word.
            $vis fn of(word: &str) -> Option<Self> {
                let at = Self::WORDS.iter().position(|one| *one == word)?;
                Some(Self::ALL[at])
            }
        }

        impl $crate::form::Formed for $type {
            const FORM: $crate::form::Form = $crate::form::Form::Word(Self::WORDS);
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::of(&word).ok_or_else(|| serde::de::Error::unknown_variant(&word, Self::WORDS))
            }
        }
    };
}

/// A struct, how it is stored, and the table of its form. `@given` are members that only the stored
/// document has. A member's form is its type's, unless `= form` says more; `as "name"` is its name in
/// JSON; `?` says that it may be left out.
#[macro_export]
macro_rules! document {
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derive:path),*)])?
        $vis:vis struct $type:ident $(as $title:literal)? {
            $(@given {
                $($(#[doc = $given_about:literal])* $given:ident = $given_form:expr),* $(,)?
            })?
            $($(#[doc = $member_about:literal])* $(#[serde($($serde:tt)*)])*
              $member:ident $(as $json:literal)? $(? $($optional:lifetime)?)? : $member_type:ty $(= $form:expr)?),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize $($(, $derive)*)?)]
        $vis struct $type {
            $($(#[doc = $member_about])* $(#[serde($($serde)*)])* $(#[serde(rename = $json)])?
              pub $member: $member_type),*
        }

        impl $type {
            /// Its form.
            $vis const OBJECT: $crate::form::Object = $crate::form::Object {
                name: $crate::form_text!($($title,)? stringify!($type)),
                about: concat!($($about),*),
                members: &[
                    $($($crate::form::given(stringify!($given), concat!($($given_about),*), $given_form),)*)?
                    $($crate::form::Member {
                        name: $crate::form_text!($($json,)? stringify!($member)),
                        about: concat!($($member_about),*),
                        form: $crate::form_of!($member_type $(, $form)?),
                        presence: $crate::form_presence!($(? $($optional)?)?),
                    }),*
                ],
            };
        }

        impl $crate::form::Formed for $type {
            const FORM: $crate::form::Form = $crate::form::Form::Object(&Self::OBJECT);
        }
    };
}

/// The first of these texts.
#[doc(hidden)]
#[macro_export]
macro_rules! form_text {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

/// The form that is named, or else the type's.
#[doc(hidden)]
#[macro_export]
macro_rules! form_of {
    ($type:ty, $form:expr) => {
        $form
    };
    ($type:ty) => {
        <$type as $crate::form::Formed>::FORM
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! form_presence {
    () => {
        $crate::form::Presence::Required
    };
    (?) => {
        $crate::form::Presence::Optional
    };
}
