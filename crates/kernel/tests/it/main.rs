//! The kernel from outside: positions, exploration, stored facts, bookkeeping and exports.

mod carried;
mod events;
mod exploring;
mod exports;
mod ledger;
mod patterns;
mod position;
mod tables;
mod walks;
