//! What a task makes: micro modules, or the assembly that a product ends with.

/// Since this form of briefs, which a project begins with, the task of a product's entry is its
/// assembly.
pub const ASSEMBLES: u32 = 3;

/// Since this form, the engine tries a proposal before anybody debates it.
pub const TRIES: u32 = 4;

/// Since this form, the Challenger is told what the task must show.
pub const SHOWS: u32 = 5;

/// Since this form, plans are held against what their task asks for, evidence counts once, and texts
/// are judged as people see them.
pub const HOLDS: u32 = 6;

/// Since this form, `none` is read as people write it, a person's plan has contracts, whoever debates
/// hears of earlier rulings, and what had to be guessed is said.
pub const TELLS: u32 = 7;

/// Since this form, a version that an exception made belongs to the task of the one before, what no task
/// needs any more is deprecated before a release, and a released project can go on with a further spec.
pub const CONTINUES: u32 = 8;

/// Since this form, a new library has cases, which are asked of it as a whole.
pub const ASKS: u32 = 9;

/// What a task makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Micro modules.
    Modules,
    /// The front of the product.
    Assembly,
}
