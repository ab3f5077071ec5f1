//! The stand-in's side of the wire: one request, one answer, and every way in which an answer can
//! fail. It waits as long as the server does: whoever watches the agent ends that.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Why there is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The server answered with an error.
    Status {
        code: u16,
        message: String,
        /// The body as it came.
        body: String,
        retry_after: Option<String>,
    },
    /// The stream ended in the middle, or nobody is there.
    Cut,
    /// The stream is whole and holds something that is not JSON.
    Garbage,
}

impl From<io::Error> for Fault {
    fn from(_: io::Error) -> Self {
        Fault::Cut
    }
}

/// Asks the server at `url`, through the proxy if there is one; the data of the answer's events.
pub(super) fn post(url: &str, path: &str, body: &Value) -> Result<Vec<Value>, Fault> {
    let host = url.trim_start_matches("http://");
    let proxy = std::env::var("HTTP_PROXY").ok();
    let proxy = proxy
        .as_deref()
        .map(|proxy| proxy.trim_start_matches("http://"));
    // A proxy wants the whole address.
    let target = match proxy {
        Some(_) => format!("{url}{path}"),
        None => path.to_owned(),
    };
    let mut stream = TcpStream::connect(proxy.unwrap_or(host))?;
    let body = body.to_string();
    let head = format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes())?;
    answer(&mut BufReader::new(stream))
}

fn answer(reader: &mut impl BufRead) -> Result<Vec<Value>, Fault> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let code = line
        .split_whitespace()
        .nth(1)
        .and_then(|code| code.parse().ok());
    let code: u16 = code.ok_or(Fault::Cut)?;
    let (mut length, mut retry_after) = (0, None);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(Fault::Cut);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "retry-after" => retry_after = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    if code == 200 {
        return events(&chunks(reader)?);
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    let body = String::from_utf8_lossy(&bytes).into_owned();
    let value: Value = serde_json::from_str(&body).unwrap_or_default();
    let message = value["error"]["message"].as_str().unwrap_or_default();
    Err(Fault::Status {
        code,
        message: message.to_owned(),
        body,
        retry_after,
    })
}

/// A chunked body; one without its last chunk was cut.
fn chunks(reader: &mut impl BufRead) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).map_err(|_| Fault::Cut)?;
        if length == 0 {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let read = reader.take(length).read_to_end(&mut bytes)?;
        if (read as u64) < length {
            return Err(Fault::Cut);
        }
        reader.read_line(&mut line)?;
    }
}

fn events(text: &str) -> Result<Vec<Value>, Fault> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).map_err(|_| Fault::Garbage))
        .collect()
}
