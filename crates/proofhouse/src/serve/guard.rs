//! Who may ask what. Pure: a request in, a refusal or nothing out.
//!
//! A page on another port, a rebound name, a form of another site and a link without its fragment all reach a
//! port on loopback. None of them has our `Host` and our token together, and no cookie stands in for either.

use super::http::{Request, Response};

/// The header that carries the token.
pub(super) const TOKEN: &str = "x-proofhouse-token";

/// The header that carries the key of the tools, with this before it.
const KEY: (&str, &str) = ("authorization", "Bearer ");

/// What is ours: the port, and what whoever may look was given.
#[derive(Debug, Clone)]
pub(super) struct Own {
    pub(super) port: u16,
    pub(super) token: String,
    /// What opens the tools and nothing else, where they are served.
    pub(super) key: Option<String>,
}

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Our script, our style, and the empty frame that they fill.
    Frame,
    /// What runs did and do.
    Look,
    /// Something that changes.
    Change,
    /// The tools for agents, which are no browsers.
    Tools,
}

impl Own {
    /// The page's own origin: by name, where passkeys are at home.
    pub(super) fn origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    fn hosts(&self) -> [String; 3] {
        ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{}", self.port))
    }

    /// The refusal of a request, if it is to be refused.
    pub(super) fn refusal(&self, request: &Request, reach: Reach) -> Option<Response> {
        let no = |status, why: &str| Some(Response::text(status, why));
        let Some(host) = request.header("host") else {
            return no(400, "a request names its host, once");
        };
        if !self.hosts().iter().any(|own| own == host) {
            return no(421, "this is no address of ours");
        }
        let own = format!("http://{host}");
        let foreign = request.has("origin") && request.header("origin") != Some(own.as_str());
        if foreign {
            return no(403, "another page asked for this");
        }
        if reach == Reach::Frame {
            return None;
        }
        // Browsers say whose page asks; `none` is the person's own address line.
        let site = request.header("sec-fetch-site");
        if request.has("sec-fetch-site") && !matches!(site, Some("same-origin" | "none")) {
            return no(403, "another page asked for this");
        }
        if reach == Reach::Tools {
            return self.refusal_of_tools(request);
        }
        let given = request.header(TOKEN).unwrap_or_default();
        if !same(given.as_bytes(), self.token.as_bytes()) {
            return no(401, "open the address that `proofhouse serve` printed");
        }
        if reach == Reach::Look {
            return None;
        }
        if request.header("origin") != Some(own.as_str()) {
            return no(403, "only our own page may change something");
        }
        match is_json(request) {
            true => None,
            false => no(415, "what changes something is JSON"),
        }
    }

    /// Agents send no `Origin`; the page's token is not theirs, nor their key the page's.
    fn refusal_of_tools(&self, request: &Request) -> Option<Response> {
        let Some(key) = &self.key else {
            return Some(Response::text(404, "no tools are served here"));
        };
        let (header, before) = KEY;
        let given = request.header(header).unwrap_or_default();
        let given = given.strip_prefix(before).unwrap_or_default();
        if !same(given.as_bytes(), key.as_bytes()) {
            return Some(Response::text(
                401,
                "send the header that `proofhouse serve --mcp` printed",
            ));
        }
        let kind = request.method != "POST" || is_json(request);
        (!kind).then(|| Response::text(415, "a message is JSON"))
    }
}

fn is_json(request: &Request) -> bool {
    let kind = request.header("content-type").unwrap_or_default();
    kind.split(';').next().map(str::trim) == Some("application/json")
}

/// Takes as long whatever the first difference is.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differs = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Own {
        Own {
            port: 7766,
            token: "secret".to_owned(),
            key: Some("tools".to_owned()),
        }
    }

    fn asks(headers: &[(&str, &str)], reach: Reach) -> u16 {
        let headers = headers.iter();
        let request = Request {
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..Request::default()
        };
        own()
            .refusal(&request, reach)
            .map_or(200, |answer| answer.status)
    }

    const HOST: (&str, &str) = ("host", "localhost:7766");
    const GIVEN: (&str, &str) = (TOKEN, "secret");
    const ORIGIN: (&str, &str) = ("origin", "http://localhost:7766");
    const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

    #[test]
    fn our_own_page_looks_and_changes() {
        assert_eq!(asks(&[HOST], Reach::Frame), 200);
        assert_eq!(asks(&[HOST, GIVEN], Reach::Look), 200);
        assert_eq!(
            asks(
                &[HOST, GIVEN, ("sec-fetch-site", "same-origin")],
                Reach::Look
            ),
            200
        );
        assert_eq!(asks(&[HOST, GIVEN, ORIGIN, JSON], Reach::Change), 200);
        let six = [
            ("host", "[::1]:7766"),
            GIVEN,
            ("origin", "http://[::1]:7766"),
            JSON,
        ];
        assert_eq!(asks(&six, Reach::Change), 200);
    }

    #[test]
    fn the_tools_and_the_page_have_each_their_own_key() {
        let tools = |headers: &[(&str, &str)]| asks(headers, Reach::Tools);
        let bearer = ("authorization", "Bearer tools");
        assert_eq!(tools(&[HOST, bearer]), 200);
        assert_eq!(tools(&[HOST, bearer, ORIGIN]), 200);
        assert_eq!(tools(&[HOST]), 401);
        assert_eq!(tools(&[HOST, GIVEN]), 401);
        assert_eq!(tools(&[HOST, ("authorization", "Bearer secret")]), 401);
        assert_eq!(tools(&[HOST, ("authorization", "tools")]), 401);
        assert_eq!(tools(&[HOST, bearer, bearer]), 401);
        assert_eq!(tools(&[("host", "evil.example:7766"), bearer]), 421);
        let other = ("origin", "http://localhost:1");
        assert_eq!(tools(&[HOST, bearer, other]), 403);
        assert_eq!(tools(&[HOST, bearer, ("sec-fetch-site", "same-site")]), 403);
        assert_eq!(asks(&[HOST, bearer], Reach::Look), 401);
        assert_eq!(asks(&[HOST, (TOKEN, "tools")], Reach::Look), 401);
        let form = Request {
            method: "POST".to_owned(),
            headers: vec![
                ("host".to_owned(), "localhost:7766".to_owned()),
                ("authorization".to_owned(), "Bearer tools".to_owned()),
                ("content-type".to_owned(), "text/plain".to_owned()),
            ],
            ..Request::default()
        };
        let said = own().refusal(&form, Reach::Tools);
        assert_eq!(said.map(|answer| answer.status), Some(415));
        let none = Own { key: None, ..own() };
        let said = none.refusal(&form, Reach::Tools);
        assert_eq!(said.map(|answer| answer.status), Some(404));
    }

    #[test]
    fn others_do_neither() {
        let rebound = [("host", "evil.example:7766"), GIVEN];
        assert_eq!(asks(&rebound, Reach::Look), 421);
        assert_eq!(asks(&[("host", "localhost:7767"), GIVEN], Reach::Look), 421);
        assert_eq!(asks(&[("host", "localhost"), GIVEN], Reach::Look), 421);
        assert_eq!(asks(&[HOST, HOST, GIVEN], Reach::Look), 400);
        assert_eq!(asks(&[GIVEN], Reach::Look), 400);
        assert_eq!(asks(&[HOST], Reach::Look), 401);
        assert_eq!(asks(&[HOST, (TOKEN, "secreT")], Reach::Look), 401);
        assert_eq!(asks(&[HOST, (TOKEN, "")], Reach::Look), 401);
        assert_eq!(asks(&[HOST, GIVEN, GIVEN], Reach::Look), 401);
        let port = [HOST, GIVEN, ("origin", "http://localhost:9999")];
        assert_eq!(asks(&port, Reach::Look), 403);
        assert_eq!(asks(&port, Reach::Frame), 403);
        // Another name of this machine is another origin.
        let name = [HOST, GIVEN, ("origin", "http://127.0.0.1:7766"), JSON];
        assert_eq!(asks(&name, Reach::Change), 403);
        assert_eq!(
            asks(&[HOST, GIVEN, ("sec-fetch-site", "same-site")], Reach::Look),
            403
        );
        assert_eq!(
            asks(
                &[HOST, GIVEN, ("sec-fetch-site", "cross-site")],
                Reach::Look
            ),
            403
        );
        assert_eq!(asks(&[HOST, GIVEN, JSON], Reach::Change), 403);
        assert_eq!(
            asks(&[HOST, GIVEN, ("origin", "null"), JSON], Reach::Change),
            403
        );
        let form = ("content-type", "application/x-www-form-urlencoded");
        assert_eq!(asks(&[HOST, GIVEN, ORIGIN, form], Reach::Change), 415);
        assert_eq!(asks(&[HOST, GIVEN, ORIGIN], Reach::Change), 415);
    }
}
