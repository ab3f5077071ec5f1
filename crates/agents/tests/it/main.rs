//! One binary for all integration tests of the connectors.

mod api;
mod command;
mod connectors;
mod contract;
mod external;
mod fake;
mod guest;
mod page;
#[cfg(feature = "real-agents")]
mod real;
mod scripted;
mod world;
