//! The five dimensions of a contract: what a module promises, whatever it is written in, and what
//! the code of every language is held against. The contract around them is the factory's.

use kernel::form::{Form, SAID, Size};
use kernel::{document, words};
use serde::{Deserialize, Serialize};

const TEXTS: Form = Form::List(&SAID, Size::ANY);

/// The five dimensions alone: all that a fingerprint covers. Read from a contract, it passes over
/// everything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    /// What callers provide.
    pub inputs: Vec<Input>,
    /// What callers receive.
    pub outputs: Vec<Output>,
    /// How failures reach callers.
    pub error_surfaces: Vec<ErrorSurface>,
    /// What changes outside of it.
    pub effects: Vec<Effect>,
    /// Whether callers wait.
    pub modes: Modes,
}

/// The five dimensions of something that has more.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceRef<'c> {
    /// What callers provide.
    pub inputs: &'c [Input],
    /// What callers receive.
    pub outputs: &'c [Output],
    /// How failures reach callers.
    pub error_surfaces: &'c [ErrorSurface],
    /// What changes outside of it.
    pub effects: &'c [Effect],
    /// Whether callers wait.
    pub modes: &'c Modes,
}

document! {
    /// One input.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Input {
        /// Its name.
        name: String = SAID,
        /// Its type.
        type_ as "type": String = SAID,
        /// What holds of it. A constraint that begins with `optional` says that it may be left out.
        constraints: Vec<String> = TEXTS,
    }
}

document! {
    /// One output.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Output {
        /// Its name.
        name: String = SAID,
        /// Its type.
        type_ as "type": String = SAID,
        /// What always holds of it.
        invariants: Vec<String> = TEXTS,
    }
}

document! {
    /// One way to fail.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct ErrorSurface {
        /// Its name.
        name: String = SAID,
        /// The condition.
        when: String = SAID,
        /// How callers see it.
        surface: SurfaceKind,
    }
}

words! {
    /// How callers see an error.
    pub enum SurfaceKind {
        /// It is thrown.
        Exception = "exception",
        /// It is a code.
        Code = "code",
        /// It is one of the values that can be returned.
        Variant = "variant",
    }
}

document! {
    /// One change outside of the module.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Effect {
        /// What kind of change.
        type_ as "type": EffectKind,
        /// What is changed or called.
        target: String = SAID,
        /// What happens to it.
        description: String = SAID,
    }
}

words! {
    /// Kinds of effects.
    pub enum EffectKind {
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
        Write = "WRITE",
        Call = "CALL",
        Mutation = "MUTATION",
    }
}

document! {
    /// Whether callers wait.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Modes {
        /// It can be called and waited for.
        sync: bool,
        /// It can be called without waiting.
        async_ as "async": bool,
        /// What else there is to know.
        #[serde(default)]
        notes?: String,
    }
}

impl Surface {
    /// Lends them.
    pub fn surface(&self) -> SurfaceRef<'_> {
        SurfaceRef {
            inputs: &self.inputs,
            outputs: &self.outputs,
            error_surfaces: &self.error_surfaces,
            effects: &self.effects,
            modes: &self.modes,
        }
    }
}

/// Does a constraint say that the input may be left out?
pub fn is_optional(constraint: &str) -> bool {
    let word = constraint.trim_start().get(..8);
    word.is_some_and(|word| word.eq_ignore_ascii_case("optional"))
}

impl Input {
    /// Whether callers may leave it out.
    pub fn is_optional(&self) -> bool {
        self.constraints.iter().any(|one| is_optional(one))
    }
}
