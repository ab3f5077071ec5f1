//! The head of a request to the proxy: `CONNECT host:port`, or a plain `GET http://host/path`. Heads
//! that are long, broken or ambiguous are refused.

use crate::Endpoint;

/// More than this is no head of a request.
pub(super) const MOST_HEAD: usize = 16 * 1024;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// A tunnel.
    Connect(Endpoint),
    /// One plain exchange, with the first line as the server wants it.
    Plain {
        target: Endpoint,
        first_line: String,
    },
}

/// Reads the first line of a head.
pub(super) fn parse(first_line: &str) -> Option<Request> {
    let mut words = first_line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    if method == "CONNECT" {
        return Some(Request::Connect(Endpoint::of_authority(target, None)?));
    }
    let rest = target.strip_prefix("http://")?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(Request::Plain {
        target: Endpoint::of_authority(authority, Some(80))?,
        first_line: format!("{method} {slash}{path} {version}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_heads_are_read() {
        let connect = |line: &str| match parse(line) {
            Some(Request::Connect(endpoint)) => endpoint.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            connect("CONNECT api.example:443 HTTP/1.1"),
            "api.example:443"
        );
        assert_eq!(connect("CONNECT [::1]:8080 HTTP/1.0"), "[::1]:8080");
        let plain = |line: &str| match parse(line) {
            Some(Request::Plain { target, first_line }) => (target.to_string(), first_line),
            other => panic!("{other:?}"),
        };
        let (target, line) = plain("GET http://h:81/a?b=c HTTP/1.1");
        assert_eq!(
            (target.as_str(), line.as_str()),
            ("h:81", "GET /a?b=c HTTP/1.1")
        );
        let (target, line) = plain("POST http://h?q HTTP/1.1");
        assert_eq!(
            (target.as_str(), line.as_str()),
            ("h:80", "POST /?q HTTP/1.1")
        );
    }

    #[test]
    fn bad_heads_are_not() {
        for line in [
            "",
            "CONNECT",
            "CONNECT h HTTP/1.1",
            "CONNECT h:0x50 HTTP/1.1",
            "CONNECT h:99999 HTTP/1.1",
            "CONNECT :443 HTTP/1.1",
            "CONNECT a b:443 HTTP/1.1",
            "CONNECT good:443@evil:443 HTTP/1.1",
            "CONNECT ::1:443 HTTP/1.1",
            "GET /local HTTP/1.1",
            "GET https://h/ HTTP/1.1",
            "GET ftp://h/ HTTP/1.1",
            "GET http://h/ HTTP/2",
            "GET http://a@b/ HTTP/1.1",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
