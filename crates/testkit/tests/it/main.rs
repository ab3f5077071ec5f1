//! The simulator at work on the workflows `phase` and `slice`, and the simulator tried on machines that are
//! broken on purpose.

mod add;
mod everywhere;
mod lights_out;
mod mutants;
mod phase;
mod seeds;
mod slice;
mod waves;
