//! The simulator at work on the workflows `phase` and `slice`, and the simulator tried on machines that are
//! broken on purpose; and every reader with what nobody would write.

#![allow(clippy::unwrap_used)]

mod add;
mod everywhere;
mod fuzz;
mod lights_out;
mod mutants;
mod phase;
mod seeds;
mod slice;
mod waves;
