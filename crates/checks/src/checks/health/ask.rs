//! A GET of a page on this machine, over a plain socket. An address has no character that a shell
//! or a protocol could take for something else.

use crate::error::Error;
use crate::settings::{Wrong, value};
use std::fmt;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// More of an answer than anybody looks at.
const LARGEST: u64 = 1 << 20;

/// `http://127.0.0.1:8080/health`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    address: SocketAddr,
    host: String,
    path: String,
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.host, self.path)
    }
}

value!(
    Url,
    |value| {
        let must = "`http://` with a loopback host, a port and a path; ask other hosts with `command`";
        value.as_str().and_then(Self::read).ok_or(Wrong::Must(must.into()))
    },
    {"type": "string", "pattern": "^http://"}
);

impl Url {
    fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("http://")?;
        let plain = |char: char| char.is_ascii_alphanumeric() || "/?&=._-~%:[]+,".contains(char);
        if !rest.chars().all(plain) {
            return None;
        }
        let (host, path) = match rest.find(['/', '?']) {
            Some(at) if rest[at..].starts_with('/') => (&rest[..at], rest[at..].to_owned()),
            Some(at) => (&rest[..at], format!("/{}", &rest[at..])),
            None => (rest, "/".to_owned()),
        };
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse::<u16>().ok()?),
            _ => (host, 80),
        };
        let address = match name {
            "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            "[::1]" => IpAddr::V6(Ipv6Addr::LOCALHOST),
            _ => name.parse().ok()?,
        };
        if !address.is_loopback() {
            return None;
        }
        Some(Self {
            address: SocketAddr::new(address, port),
            host: host.to_owned(),
            path,
        })
    }

    /// The status and the body.
    pub(super) fn get(&self, wall: Duration) -> Result<(u16, String), Error> {
        let ask = || -> std::io::Result<Vec<u8>> {
            let mut stream = TcpStream::connect_timeout(&self.address, wall)?;
            stream.set_read_timeout(Some(wall))?;
            stream.set_write_timeout(Some(wall))?;
            let (path, host) = (&self.path, &self.host);
            // In one piece: a server may answer as soon as it has the first.
            let question = format!(
                "GET {path} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: proofhouse\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(question.as_bytes())?;
            let mut bytes = Vec::new();
            stream.take(LARGEST).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = ask().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split(' ').nth(1)?.parse().ok())
            .ok_or("it answered something that is not HTTP")?;
        Ok((status, body.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn only_this_machine() {
        for text in [
            "http://127.0.0.1:8080/health",
            "http://localhost/",
            "http://[::1]:3000",
            "http://localhost:1?a=b",
        ] {
            assert!(Url::read(text).is_some(), "{text}");
        }
        for text in [
            "https://localhost/",
            "http://example.org/",
            "http://10.0.0.1/",
            "http://127.0.0.1.example.org/",
            "http://localhost@example.org/",
            "http://localhost/' ; rm x",
            "http://localhost:99999/",
            "http://localhost/\r\nX: y",
            "localhost",
        ] {
            assert!(Url::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_page_is_got() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            for answer in ["HTTP/1.1 200 OK\r\nA: b\r\n\r\nhealthy", "nonsense"] {
                let (mut stream, _) = listener.accept().unwrap();
                let mut asked = [0; 1024];
                let count = stream.read(&mut asked).unwrap();
                assert!(asked[..count].starts_with(b"GET /up HTTP/1.0\r\n"));
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let url = Url::read(&format!("http://localhost:{port}/up")).unwrap();
        let wall = Duration::from_secs(10);
        assert_eq!(url.get(wall).unwrap(), (200, "healthy".to_owned()));
        assert!(url.get(wall).unwrap_err().to_string().contains("not HTTP"));
        server.join().unwrap();
    }
}
