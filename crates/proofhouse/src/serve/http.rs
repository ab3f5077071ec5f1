//! One request and one answer on a connection of its own, over loopback: no runtime, no keeping alive. It
//! refuses what a browser that shows our pages never sends: heads without end, bodies without a length.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const MOST_HEAD: usize = 16 * 1024;
const MOST_BODY: usize = 256 * 1024;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without what stands behind the question mark; decoded nowhere.
    pub(super) path: String,
    pub(super) query: String,
    /// Names in small letters.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// A header that is there once; twice is as bad as never.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(one, _)| one == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// A value of the query, decoded.
    pub(super) fn asked(&self, name: &str) -> Option<String> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.into_iter().find(|(one, _)| *one == name)?;
        decoded(&value.replace('+', " "))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(one, _)| one == name)
    }
}

/// Percent signs undone; none where that is no text.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Why a request is none.
#[derive(Debug)]
pub(super) enum Bad {
    /// The connection ended, or said nothing for too long.
    Gone,
    /// What came is answered with this.
    Answer(Response),
}

impl From<io::Error> for Bad {
    fn from(_: io::Error) -> Self {
        Bad::Gone
    }
}

/// Reads what is asked.
pub(super) fn read(stream: &mut TcpStream) -> Result<Request, Bad> {
    let refuse = |status, why: &str| Bad::Answer(Response::text(status, why));
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let (mut request, start) = loop {
        more(stream, &mut bytes, until)?;
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&bytes) {
            Ok(httparse::Status::Complete(start)) => break (head(&parsed), start),
            Ok(httparse::Status::Partial) if bytes.len() < MOST_HEAD => {}
            Ok(httparse::Status::Partial) => return Err(refuse(431, "the head is too long")),
            Err(error) => return Err(refuse(400, &error.to_string())),
        }
    };
    if request.has("transfer-encoding") {
        return Err(refuse(501, "a body comes with its length"));
    }
    let length = match (
        request.has("content-length"),
        request.header("content-length"),
    ) {
        (false, _) => 0,
        (true, length) => length
            .filter(|length| length.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|length| length.parse::<usize>().ok())
            .ok_or_else(|| refuse(400, "the length is no number"))?,
    };
    if length > MOST_BODY {
        return Err(refuse(413, "the body is too long"));
    }
    while bytes.len() < start + length {
        more(stream, &mut bytes, until)?;
    }
    request.body = bytes[start..start + length].to_vec();
    Ok(request)
}

fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>, until: Instant) -> Result<(), Bad> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Bad::Gone);
    }
    stream.set_read_timeout(Some(left))?;
    let mut chunk = [0; 8 * 1024];
    match stream.read(&mut chunk)? {
        0 => Err(Bad::Gone),
        read => {
            bytes.extend_from_slice(&chunk[..read]);
            Ok(())
        }
    }
}

fn head(parsed: &httparse::Request<'_, '_>) -> Request {
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = parsed.headers.iter().map(|header| {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        (header.name.to_ascii_lowercase(), value)
    });
    Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers.collect(),
        body: Vec::new(),
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
}

/// What a browser may do with an answer: run our one script, draw our one style, ask us, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' blob:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types proofhouse";

impl Response {
    pub(super) fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self { status, kind, body }
    }

    pub(super) fn text(status: u16, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }

    pub(super) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status, "application/json", value.to_string())
    }

    pub(super) fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let length = format!("Content-Length: {}\r\n", self.body.len());
        begin(stream, self.status, self.kind, &length)?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

/// Writes the head of an answer.
pub(super) fn begin(stream: &mut TcpStream, status: u16, kind: &str, more: &str) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Answer",
    };
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\n{more}Connection: close\r\n\
         Cache-Control: no-store\r\nContent-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n"
    );
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(head.as_bytes())
}

/// Reads what still comes, for a moment.
pub(super) fn drain(stream: &mut TcpStream) {
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
    let _ = io::copy(&mut stream.take(MOST_BODY as u64), &mut io::sink());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Shutdown, TcpListener};
    use testkit::fuzz::Fuzz;

    /// Whatever a program of this machine sends, it is a request within its bounds, or none.
    #[test]
    fn fuzz_heads_are_read_or_refused() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        Fuzz {
            name: "http",
            samples: &[
                b"GET /live/ HTTP/1.1\r\nHost: localhost:7766\r\nX-Proofhouse-Token: t\r\n\r\n",
                b"POST /decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
            ],
            usual: 300,
        }
        .run(&|input| {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(input).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            if let Ok(request) = read(&mut stream) {
                assert!(request.body.len() <= MOST_BODY);
                assert!(input.ends_with(&request.body) || input.len() > request.body.len());
            }
        });
    }
}
