//! Proofhouse as its users meet it: the real binary, real files, real kills.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod add;
mod audit;
mod bad_input;
mod cheats;
mod checkpoints;
mod checks;
mod circles;
mod cli;
mod coding_agents;
mod config;
mod crash;
mod decisions;
mod demo;
mod docs;
mod everywhere;
mod factory;
mod factory_amend;
mod factory_audit;
mod factory_blind;
mod factory_edges;
mod factory_given;
mod factory_hangs;
mod factory_jobs;
mod factory_people;
mod factory_roles;
mod factory_run;
mod factory_ship;
mod factory_unread;
mod first_steps;
mod fixtures;
mod gate_lost;
mod holes;
mod index;
mod land;
mod lights_out;
mod matrix;
mod models;
mod odd_trees;
mod phase;
mod planted_keys;
mod play;
mod plays;
mod product;
mod product_index;
mod project_files;
mod reach;
mod results;
mod rules;
mod sandbox;
mod slice;
mod support;
mod tidy;
mod waves;
