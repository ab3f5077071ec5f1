//! Proofhouse as its users meet it: the real binary, real files, real kills.

mod audit;
mod bad_input;
mod cli;
mod crash;
mod decisions;
mod phase;
mod support;
mod tidy;
