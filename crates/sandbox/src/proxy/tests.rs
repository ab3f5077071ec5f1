//! The proxy on real sockets.

use super::*;
use std::io::{Read, Write};
use testkit::fuzz::Fuzz;

/// A server that sends one message back: a head, or `hello`.
fn echo() -> (Endpoint, JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = Endpoint::new("127.0.0.1", listener.local_addr().unwrap().port());
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut bytes, mut chunk) = (Vec::new(), [0; 1000]);
        while !bytes.ends_with(b"\r\n\r\n") && !bytes.ends_with(b"hello") {
            let count = stream.read(&mut chunk).unwrap();
            bytes.extend_from_slice(&chunk[..count]);
        }
        stream.write_all(&bytes).unwrap();
    });
    (endpoint, serving)
}

fn proxy(allowed: Vec<Endpoint>) -> (Proxy, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (Proxy::start(listener, allowed).unwrap(), port)
}

fn ask(port: u16, text: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_tunnel_to_an_allowed_endpoint_carries_both_ways() {
    let (endpoint, serving) = echo();
    let (proxy, port) = proxy(vec![endpoint.clone()]);
    let answer = ask(port, &format!("CONNECT {endpoint} HTTP/1.1\r\n\r\nhello"));
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"),
        "{answer}"
    );
    serving.join().unwrap();
    assert_eq!(proxy.stop().list(), []);
}

#[test]
fn a_plain_request_reaches_the_server_with_its_own_path() {
    let (endpoint, serving) = echo();
    let (proxy, port) = proxy(vec![endpoint.clone()]);
    let answer = ask(
        port,
        &format!("GET http://{endpoint}/a?b HTTP/1.1\r\nHost: h\r\n\r\n"),
    );
    assert_eq!(answer, "GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n");
    serving.join().unwrap();
    drop(proxy);
}

#[test]
fn everything_else_is_refused_and_remembered() {
    let (proxy, port) = proxy(vec![Endpoint::new("api.example", 443)]);
    for line in [
        "CONNECT evil.example:443 HTTP/1.1",
        "CONNECT api.example:22 HTTP/1.1",
        "GET http://evil.example:443/x HTTP/1.1",
        "nonsense",
    ] {
        let answer = ask(port, &format!("{line}\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
    }
    let denied: Vec<(String, u32)> = proxy
        .stop()
        .list()
        .into_iter()
        .map(|denied| (denied.target, denied.times))
        .collect();
    let expected = [
        ("evil.example:443", 2),
        ("api.example:22", 1),
        ("not understood: nonsense", 1),
    ];
    assert_eq!(
        denied,
        expected.map(|(target, times)| (target.to_string(), times))
    );
}

#[test]
fn stopping_cuts_connections_that_say_nothing() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = Endpoint::new("127.0.0.1", silent.local_addr().unwrap().port());
    let (proxy, port) = proxy(vec![endpoint.clone()]);
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    client
        .write_all(format!("CONNECT {endpoint} HTTP/1.1\r\n\r\n").as_bytes())
        .unwrap();
    let (_held, _) = silent.accept().unwrap();
    let mut head = [0; 12];
    client.read_exact(&mut head).unwrap();
    proxy.stop();
    let mut rest = Vec::new();
    let _ = client.read_to_end(&mut rest);
}

#[test]
fn a_name_that_leads_home_is_refused_unless_a_person_says_so() {
    // Any name may be looked up to an address of this machine; this one surely is.
    let (echo, serving) = echo();
    let name = "localhost";
    let target = Endpoint {
        host: name.to_owned(),
        port: echo.port,
        leads: Leads::ToPublic,
    };
    let request = format!("GET http://{name}:{}/ HTTP/1.1\r\n\r\n", echo.port);
    let (refusing, port) = proxy(vec![target.clone()]);
    let answer = ask(port, &request);
    assert!(
        answer.starts_with("HTTP/1.1 403") && answer.contains("lan:"),
        "{answer}"
    );
    assert_eq!(refusing.stop().list().len(), 1);
    let (letting, port) = proxy(vec![target.anywhere()]);
    assert!(ask(port, &request).starts_with("GET / "));
    serving.join().unwrap();
    assert_eq!(letting.stop().list(), []);
}

#[test]
fn what_people_write_says_where_it_may_lead() {
    let read = |text: &str| Endpoint::read(text, Some(443)).unwrap();
    assert_eq!(read("api.example").leads, Leads::ToPublic);
    assert_eq!(
        read("lan:llm.corp:8443"),
        Endpoint::new("llm.corp", 8443).anywhere()
    );
    for text in ["localhost:80", "127.0.0.1", "[::1]:80"] {
        assert_eq!(read(text).leads, Leads::Anywhere, "{text}");
    }
    assert_eq!(Endpoint::read("a b", Some(1)), None);
}

/// Whatever a confined process sends as a head: it is told off, or hears nothing. Nobody is reached, and the proxy
/// goes on for whoever comes next.
#[test]
fn fuzz_heads_open_nothing() {
    let (proxy, port) = proxy(Vec::new());
    Fuzz {
        name: "proxy",
        samples: &[
            b"CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\r\nhello",
            b"GET http://[::1]:81/a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
        ],
        usual: 200,
    }
    .run(&|input| {
        let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        // One that is told off early may be cut while it still talks.
        let _ = client.write_all(input);
        let _ = client.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        let refused = answer.starts_with(b"HTTP/1.1 4") || answer.is_empty();
        assert!(refused, "{}", String::from_utf8_lossy(&answer));
    });
    let last = ask(port, "CONNECT api.example:443 HTTP/1.1\r\n\r\n");
    assert!(last.starts_with("HTTP/1.1 403"), "{last}");
    proxy.stop();
}
