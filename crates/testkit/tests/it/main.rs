//! The simulator at work on the `phase` workflow, and the simulator tried on machines that are
//! broken on purpose.

mod everywhere;
mod lights_out;
mod mutants;
mod phase;
mod seeds;
