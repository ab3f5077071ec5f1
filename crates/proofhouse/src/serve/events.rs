//! A page that stays true: everything at first, then each part that changed, as server-sent events. The id of
//! an event says which page it makes; whoever comes back with it is sent what they lack, and nothing twice.

use super::http::{self, Request};
use super::pages::House;
use report::page::live::Live;
use serde_json::json;
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long a silent connection goes without a sign: a browser that left is noticed by it.
const SILENCE: Duration = Duration::from_secs(15);
/// How close two events may follow each other: a burst of records is told once.
const CLOSE: Duration = Duration::from_millis(60);

/// Tells until whoever looks on leaves.
pub(super) fn tell(house: &House, request: &Request, stream: &mut TcpStream) -> io::Result<()> {
    let Some((mut number, page)) = house.page(request) else {
        return http::Response::text(404, "there is no such page").write(stream);
    };
    http::begin(stream, 200, "text/event-stream; charset=utf-8", "")?;
    let mut shown = page;
    let digest = digest(&shown);
    if request.header("last-event-id") != Some(digest.as_str()) {
        whole(stream, &shown, &digest)?;
    } else {
        stream.write_all(b": nothing new\n\n")?;
    }
    stream.flush()?;
    loop {
        if !house.pulse.wait(number, SILENCE) {
            stream.write_all(b": still here\n\n")?;
            stream.flush()?;
            continue;
        }
        std::thread::sleep(CLOSE);
        let Some((now, page)) = house.page(request) else {
            return Ok(());
        };
        number = now;
        if page == shown {
            continue;
        }
        changes(stream, &shown, &page)?;
        stream.flush()?;
        shown = page;
    }
}

fn digest(page: &Live) -> String {
    let text = serde_json::to_vec(page).unwrap_or_default();
    store::sha256_hex(&text)
}

fn event(stream: &mut TcpStream, name: &str, id: &str, data: &serde_json::Value) -> io::Result<()> {
    let text = format!("event: {name}\nid: {id}\ndata: {data}\n\n");
    stream.write_all(text.as_bytes())
}

fn whole(stream: &mut TcpStream, page: &Live, id: &str) -> io::Result<()> {
    event(stream, "page", id, &json!(page))
}

fn changes(stream: &mut TcpStream, before: &Live, now: &Live) -> io::Result<()> {
    let id = digest(now);
    let same_parts = before.parts.len() == now.parts.len()
        && before
            .parts
            .iter()
            .zip(&now.parts)
            .all(|(one, other)| one.id == other.id);
    if !same_parts {
        return whole(stream, now, &id);
    }
    let changed = before.parts.iter().zip(&now.parts);
    let changed: Vec<_> = changed
        .filter(|(one, other)| one != other)
        .map(|(_, now)| now)
        .collect();
    // One event, so that its id is the page's as soon as any of it is there.
    event(
        stream,
        "parts",
        &id,
        &json!({ "title": now.title, "parts": changed }),
    )
}
