//! One binary for all integration tests of the connectors.

mod command;
mod contract;
mod page;
mod scripted;
mod world;
