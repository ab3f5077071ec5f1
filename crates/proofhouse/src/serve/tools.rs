//! The tools of `proofhouse mcp` over HTTP, for agents that are given their address and their key: one message,
//! one answer. It keeps no session and opens no stream: what takes longer is asked for again.

use super::http::{Request, Response};
use super::pages::House;
use crate::mcp::{self, Page, Tools};

/// Below it each repository has its own.
pub(super) const PLACE: &str = "/mcp/";

/// The header in which clients name the version that they agreed on.
const VERSION: &str = "mcp-protocol-version";

/// Answers one message. The origin is that of the pages beside it.
pub(super) fn answer(house: &House, origin: &str, request: &Request) -> Response {
    let key = request.path.strip_prefix(PLACE).unwrap_or_default();
    let Some((_, project)) = house.repo(key) else {
        return Response::text(404, "no such repository is served here");
    };
    if request.method != "POST" {
        return Response::text(405, "a message is sent with POST; there is no stream");
    }
    if request.has(VERSION) && !request.header(VERSION).is_some_and(mcp::speaks) {
        return Response::text(400, "this version of the protocol is not spoken here");
    }
    let given = match &house.decides {
        Some(_) => (Tools::All, Page::Decides { origin, key }),
        None => (Tools::Reading, Page::Shows { origin, key }),
    };
    match mcp::answer(project, &String::from_utf8_lossy(&request.body), given) {
        Some(answer) => Response::json(200, &answer),
        // A notice is taken, and that is all.
        None => Response::new(202, "application/json", ""),
    }
}
