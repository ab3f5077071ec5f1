//! Proofhouse as its users meet it: the real binary, real files, real kills.

mod audit;
mod crash;
mod phase;
mod support;
mod tidy;
