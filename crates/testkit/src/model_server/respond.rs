//! One connection: requests in, scripted answers out.

use super::plan::{self, Asked, Message};
use super::script::{Order, Turn};
use super::{Request, Shared, anthropic, chat, gemini, http, responses};
use serde_json::{Value, json};
use std::io::{self, BufReader, Read};
use std::net::TcpStream;

/// Which provider a request speaks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

/// What a path asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Generate(Wire, Form),
    Count,
    Models,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Stream,
    Whole,
}

fn target(request: &Request) -> Target {
    let path = request.path.split('?').next().unwrap_or_default();
    let form = match request.body["stream"] == true || path.contains(":stream") {
        true => Form::Stream,
        false => Form::Whole,
    };
    if path.ends_with("/count_tokens") || path.ends_with(":countTokens") {
        Target::Count
    } else if path.ends_with("/messages") {
        Target::Generate(Wire::Anthropic, form)
    } else if path.ends_with("/chat/completions") {
        Target::Generate(Wire::Chat, form)
    } else if path.ends_with("/responses") {
        Target::Generate(Wire::Responses, form)
    } else if path.contains("enerateContent") {
        Target::Generate(Wire::Gemini, form)
    } else if path.ends_with("/models") {
        Target::Models
    } else {
        Target::Nothing
    }
}

/// Serves one connection until one side closes it.
pub(super) fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = http::read(stream, &mut reader)? {
        let target = target(&request);
        let body = request.body.clone();
        let path = request.path.clone();
        shared.record(request);
        match target {
            Target::Generate(wire, form) => {
                if answer(stream, shared, wire, form, &body)? == After::Close {
                    return Ok(());
                }
            }
            Target::Count => {
                http::json(
                    stream,
                    200,
                    &[],
                    &json!({ "input_tokens": 123, "totalTokens": 123 }),
                )?;
            }
            Target::Models => {
                let model = json!({ "id": "fake-model", "object": "model", "type": "model", "display_name": "fake" });
                http::json(
                    stream,
                    200,
                    &[],
                    &json!({ "object": "list", "data": [model], "has_more": false }),
                )?;
            }
            Target::Nothing => {
                let text = format!("no such path {path}");
                let body = json!({ "error": { "type": "not_found_error", "message": text } });
                http::json(stream, 404, &[], &body)?;
            }
        }
    }
    Ok(())
}

/// What happens to the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Keep,
    Close,
}

fn answer(
    out: &TcpStream,
    shared: &Shared,
    wire: Wire,
    form: Form,
    body: &Value,
) -> io::Result<After> {
    let asked = asked(wire, body);
    let (at, serial) = place(shared, &asked);
    let Some(at) = at else {
        let mut message = plan::side(&asked, serial);
        if let (Wire::Gemini, Some(text)) = (wire, gemini::side_text(body)) {
            message.text = text;
        }
        return send(out, wire, form, &message);
    };
    let message = plan::message(&shared.script, at, &asked, serial);
    match shared.script.turns.get(at) {
        None | Some(Turn::Message { .. }) => send(out, wire, form, &message),
        Some(Turn::Status {
            code,
            headers,
            body,
        }) => {
            let usual = error(wire, *code);
            http::json(
                out,
                *code,
                headers,
                if body.is_null() { &usual } else { body },
            )?;
            Ok(After::Keep)
        }
        Some(Turn::Hang) => wait_for_close(out, shared),
        Some(Turn::HangMidway) => {
            half(out, wire, &message)?;
            wait_for_close(out, shared)
        }
        Some(Turn::Cut) => {
            half(out, wire, &message)?;
            Ok(After::Close)
        }
        Some(Turn::Garbage) => {
            http::open(out)?;
            http::part(
                out,
                b"event: message_start\ndata: {\"type\": \"mess\n\ndata: <html>no</html>\n\n",
            )?;
            http::close(out)?;
            Ok(After::Keep)
        }
    }
}

/// The turn of the script (none for a side request) and a number for ids.
fn place(shared: &Shared, asked: &Asked) -> (Option<usize>, usize) {
    let mut state = shared.lock();
    let serial = state.requests.len();
    if asked.offered.is_empty() {
        return (None, serial);
    }
    let handed_out = state.handed_out;
    state.handed_out += 1;
    match shared.script.order {
        Order::History => (Some(asked.turns), serial),
        Order::Arrival => (Some(handed_out), serial),
    }
}

fn send(out: &TcpStream, wire: Wire, form: Form, message: &Message) -> io::Result<After> {
    match form {
        Form::Whole => http::json(out, 200, &[], &whole(wire, message))?,
        Form::Stream => {
            http::open(out)?;
            http::part(out, &stream(wire, message))?;
            http::close(out)?;
        }
    }
    Ok(After::Keep)
}

/// The first half of a stream, cut inside an event.
fn half(out: &TcpStream, wire: Wire, message: &Message) -> io::Result<()> {
    let bytes = stream(wire, message);
    http::open(out)?;
    http::part(out, &bytes[..bytes.len() / 2])
}

/// Blocks until the peer closes or the server goes down; there is no clock here.
fn wait_for_close(mut stream: &TcpStream, shared: &Shared) -> io::Result<After> {
    let mut byte = [0];
    while matches!(stream.read(&mut byte), Ok(1..)) {}
    shared.hung_up();
    Ok(After::Close)
}

fn asked(wire: Wire, body: &Value) -> Asked {
    match wire {
        Wire::Anthropic => anthropic::asked(body),
        Wire::Chat => chat::asked(body),
        Wire::Responses => responses::asked(body),
        Wire::Gemini => gemini::asked(body),
    }
}

fn stream(wire: Wire, message: &Message) -> Vec<u8> {
    match wire {
        Wire::Anthropic => anthropic::stream(message),
        Wire::Chat => chat::stream(message),
        Wire::Responses => responses::stream(message),
        Wire::Gemini => gemini::stream(message),
    }
}

fn whole(wire: Wire, message: &Message) -> Value {
    match wire {
        Wire::Anthropic => anthropic::whole(message),
        Wire::Chat => chat::whole(message),
        Wire::Responses => responses::whole(message),
        Wire::Gemini => gemini::whole(message),
    }
}

fn error(wire: Wire, code: u16) -> Value {
    match wire {
        Wire::Anthropic => anthropic::error(code),
        Wire::Chat | Wire::Responses => chat::error(code),
        Wire::Gemini => gemini::error(code),
    }
}
