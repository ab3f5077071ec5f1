//! A seeded world for machines: any [`kernel::Machine`] is run through the engine's own loop, with
//! agents, checks, people, the clock and crashes all drawn from one number.
//!
//! It refuses to be a second driver (it calls [`engine::drive`]), to read a clock, to sleep, and to
//! know a workflow: what is true of one workflow alone is an invariant in that workflow's test.
//!
//! Environment, read by [`seeds::seeds`] and by nothing else:
//!
//! - `PROOFHOUSE_SIM_SEED=1234` runs this one seed (a failure prints the whole command).
//! - `PROOFHOUSE_SIM_SEEDS=100000` runs that many instead of the suite's few hundred.

pub mod cast;
pub mod everywhere;
pub mod failure;
pub mod fuzz;
pub mod history;
pub mod invariants;
pub mod journal;
mod machine;
pub mod model_server;
pub mod on_table;
pub mod random;
pub mod record;
pub mod seeded_cast;
pub mod seeds;
pub mod simulation;
pub mod stand_in;
pub mod start;
mod storm;
pub mod violation;
pub mod watched;
pub mod waves;
pub mod weather;
mod world;

pub use cast::Cast;
pub use everywhere::{crash_everywhere, crash_everywhere_counting};
pub use failure::Failure;
pub use invariants::{Fact, Invariant};
pub use machine::machine_invariants;
pub use on_table::{OnTable, table_invariants};
pub use random::Random;
pub use seeded_cast::{SeededCast, Vocabulary};
pub use simulation::{Report, Simulation};
pub use violation::Violation;
pub use weather::{Crash, Fate, Weather};
