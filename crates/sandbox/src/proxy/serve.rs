//! One connection to the proxy, from its first byte to its last. The refusal comes before the
//! connection: no name is looked up for a target that is not allowed.

use super::Shared;
use super::address::is_public;
use super::request::{MOST_HEAD, Request, parse};
use crate::Leads;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// A client that does not say what it wants is cut off after this.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECTING: Duration = Duration::from_secs(20);

pub(super) fn turn_away(client: TcpStream) {
    answer(
        client,
        "503 Service Unavailable",
        "too many connections at once",
    );
}

/// Serves until either side closes, or the proxy is stopped.
pub(super) fn serve(client: TcpStream, shared: &Shared) {
    let Ok(number) = shared.register(&client) else {
        return;
    };
    exchange(client, shared);
    shared.forget(number);
}

fn exchange(mut client: TcpStream, shared: &Shared) {
    let Some((first_line, rest)) = head(&mut client) else {
        return answer(client, "400 Bad Request", "no head of a request");
    };
    let Some(request) = parse(&first_line) else {
        shared.deny(format!("not understood: {}", shorten(&first_line)));
        return answer(
            client,
            "400 Bad Request",
            "only CONNECT and plain http:// are served",
        );
    };
    let (Request::Connect(target) | Request::Plain { target, .. }) = &request;
    let Some(leads) = shared.allows(target) else {
        shared.deny(target.to_string());
        let why = format!("Proofhouse does not let this process reach {target}");
        return answer(client, "403 Forbidden", &why);
    };
    let cannot = |error| format!("{target} cannot be reached: {error}");
    let mut addresses = match shared.addresses(target) {
        Ok(addresses) => addresses,
        Err(error) => return answer(client, "502 Bad Gateway", &cannot(error)),
    };
    if leads == Leads::ToPublic {
        addresses.retain(|address| is_public(*address));
        if addresses.is_empty() {
            shared.deny(format!("{target} (leads into your own network)"));
            let why = format!(
                "{target} leads to this machine or into its own network; `lan:{target}` in network.hosts allows that"
            );
            return answer(client, "403 Forbidden", &why);
        }
    }
    let server = match connect(&addresses, target.port) {
        Ok(server) => server,
        Err(error) => return answer(client, "502 Bad Gateway", &cannot(error)),
    };
    let Ok(number) = shared.register(&server) else {
        return;
    };
    let begun = match &request {
        Request::Connect(_) => client
            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            .and_then(|()| after_head(&rest).map_or(Ok(()), |body| (&server).write_all(body))),
        Request::Plain { first_line, .. } => {
            (&server).write_all(&[first_line.as_bytes(), &rest].concat())
        }
    };
    if begun.is_ok() {
        both_ways(&client, &server);
    }
    shared.forget(number);
}

/// The first line, and all that was read after it (its line end included).
fn head(client: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    client.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut bytes = Vec::new();
    let mut chunk = [0; 2048];
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = client.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        if bytes.len() > MOST_HEAD {
            return None;
        }
    }
    client.set_read_timeout(None).ok()?;
    let end = bytes.windows(2).position(|end| end == b"\r\n")?;
    let rest = bytes.split_off(end);
    Some((String::from_utf8(bytes).ok()?, rest))
}

/// A tunnel's client may send before it is answered.
fn after_head(rest: &[u8]) -> Option<&[u8]> {
    let end = rest.windows(4).position(|end| end == b"\r\n\r\n")?;
    Some(&rest[end + 4..])
}

fn connect(addresses: &[IpAddr], port: u16) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::other("the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&SocketAddr::new(*address, port), CONNECTING) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn both_ways(client: &TcpStream, server: &TcpStream) {
    std::thread::scope(|scope| {
        // Without a second thread nothing can be carried back: both are cut.
        let up = std::thread::Builder::new().spawn_scoped(scope, || carry(client, server));
        if up.is_ok() {
            carry(server, client);
        }
        // What carried the other way waits on a peer that may never speak again.
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    });
}

fn carry(mut from: &TcpStream, mut to: &TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}

fn answer(mut client: TcpStream, status: &str, why: &str) {
    let length = why.len() + 1;
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{why}\n"
    );
    let _ = client.write_all(text.as_bytes());
    let _ = client.shutdown(Shutdown::Write);
}

fn shorten(line: &str) -> String {
    line.chars()
        .filter(|letter| !letter.is_control())
        .take(120)
        .collect()
}
