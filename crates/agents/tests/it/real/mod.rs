//! The real coding agents, opt-in (`--features real-agents`): each makes one edit, runs one
//! command, goes on in a view that has moved, is kept from editing, meets a wrong key, and is held
//! to the table of connectors and scenarios.

mod agents;
mod cast;
mod work;

use agents::isolated;

macro_rules! drives {
    ($($test:ident, $table:ident: $agent:expr;)*) => {$(
        #[test]
        fn $test() {
            isolated(concat!("real::", stringify!($test)), |agents| work::all($agent, agents));
        }

        #[test]
        fn $table() {
            isolated(concat!("real::", stringify!($table)), |agents| work::meets_the_table($agent, agents));
        }
    )*};
}

drives! {
    claude, claude_meets_the_table: cast::Real::Claude;
    codex, codex_meets_the_table: cast::Real::Codex;
    codex_app, codex_app_meets_the_table: cast::Real::CodexApp;
    gemini, gemini_meets_the_table: cast::Real::Gemini;
    opencode, opencode_meets_the_table: cast::Real::Opencode;
    pi, pi_meets_the_table: cast::Real::Pi;
    acp, acp_meets_the_table: cast::Real::Acp;
}
