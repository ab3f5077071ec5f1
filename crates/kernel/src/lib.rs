//! The pure heart of Proofhouse: what may happen, what did happen, what should be in flight.
//!
//! It does not know a clock, a file, a random number, a thread or a network; time and ids
//! arrive on inputs. It names no workflow, no agent and no check: those are data to it.

pub mod autonomy;
pub mod budget;
pub mod decision;
pub mod deficiency;
pub mod duration;
pub mod effect;
pub mod event;
pub mod exam;
pub mod explore;
pub mod export;
pub mod finding;
pub mod form;
pub mod ids;
pub mod input;
pub mod json;
pub mod latin;
pub mod ledger;
pub mod lesson;
pub mod line;
pub mod machine;
pub mod meaning;
pub mod module;
pub mod near;
pub mod opening;
pub mod outcome;
pub mod pack;
pub mod pattern;
pub mod position;
pub mod refusal;
pub mod snapshot;
pub mod step;
pub mod table;
pub mod time;
pub mod unseen;
pub mod version;

pub use autonomy::{Autonomy, Mode, Pace, Risk, Weak};
pub use decision::Decision;
pub use effect::{AttemptOrder, CheckSpec, CheckpointOrder, Effect, GateOrder};
pub use event::{Body, Event, Note, Stored};
pub use ids::{ActionName, CounterName, EffectId, RunId, StateName, Word};
pub use input::{Input, What};
pub use machine::{Machine, Status, Want};
pub use outcome::{CheckResult, Class, EvidenceRef, Outcome, Usage, Verdict};
pub use position::{Hold, Position, Step};
pub use refusal::Refusal;
pub use step::{Stepped, settle, step};
pub use table::{Actor, Guard, Kind, Table, Target, Transition};
pub use time::Time;
