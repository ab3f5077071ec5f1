//! As much of HTTP/1.1 as a client of a model provider uses.

use super::Request;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Small on purpose: event boundaries and read boundaries never agree.
const CHUNK: usize = 61;

/// Reads the next request of a connection; none if the peer has closed it.
pub(super) fn read(
    stream: &TcpStream,
    reader: &mut BufReader<&TcpStream>,
) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or_default().to_owned();
    let headers = headers(reader)?;
    if headers
        .get("expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    {
        let mut out = stream;
        out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let bytes = match headers.get("transfer-encoding") {
        Some(coding) if coding.eq_ignore_ascii_case("chunked") => chunked(reader)?,
        _ => {
            let length = headers
                .get("content-length")
                .and_then(|text| text.parse().ok());
            let mut bytes = Vec::new();
            reader.take(length.unwrap_or(0)).read_to_end(&mut bytes)?;
            bytes
        }
    };
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Ok(Some(Request {
        method,
        path,
        headers,
        body,
    }))
}

fn headers(reader: &mut impl BufRead) -> io::Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(headers);
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
}

fn chunked(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let digits = line.trim().split(';').next().unwrap_or_default();
        let length = u64::from_str_radix(digits, 16).map_err(io::Error::other)?;
        reader.take(length).read_to_end(&mut bytes)?;
        reader.read_line(&mut String::new())?;
        if length == 0 {
            return Ok(bytes);
        }
    }
}

/// A whole JSON answer.
pub(super) fn json(
    mut out: &TcpStream,
    code: u16,
    headers: &[(String, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let mut head = format!(
        "HTTP/1.1 {code} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    out.write_all(format!("{head}\r\n{body}").as_bytes())
}

/// The head of an event stream.
pub(super) fn open(mut out: &TcpStream) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n")
}

/// A part of an event stream, in pieces.
pub(super) fn part(mut out: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    for piece in bytes.chunks(CHUNK) {
        let mut framed = format!("{:x}\r\n", piece.len()).into_bytes();
        framed.extend_from_slice(piece);
        framed.extend_from_slice(b"\r\n");
        out.write_all(&framed)?;
    }
    Ok(())
}

/// The end of a complete event stream.
pub(super) fn close(mut out: &TcpStream) -> io::Result<()> {
    out.write_all(b"0\r\n\r\n")
}
