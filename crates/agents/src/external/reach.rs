//! Whether a provider can be reached, asked once before its agent is started: agents try again and again
//! in silence, and the person would hear of it when the wall limit has ended the attempt. What it finds is
//! said and nothing else: the agent is started all the same.

use crate::agent::UNREACHABLE;
use sandbox::Endpoint;
use std::collections::BTreeMap;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::time::Duration;

/// How long the first word may take. One that can be reached answers in a fraction of it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the agent's first request will go: to a base address that was set, else to its usual host.
pub(super) fn first(hosts: &[&str], env: &BTreeMap<String, String>) -> Option<Endpoint> {
    let mut set = env.iter().filter(|(name, _)| name.ends_with("_BASE_URL"));
    let set = set.find_map(|(_, url)| super::confine::endpoint(url));
    set.or_else(|| Some(Endpoint::new(*hosts.first()?, 443)))
}

/// Why nothing answers there; none if something does, or if a proxy of the person's is in between.
pub(super) fn unreachable(endpoint: &Endpoint) -> Option<String> {
    let proxied = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    if proxied.iter().any(|name| std::env::var_os(name).is_some()) {
        return None;
    }
    let (host, port) = (endpoint.host.clone(), endpoint.port);
    let (answer, answered) = mpsc::channel();
    // Resolving a name cannot be cut short: a thread that nobody waits for ends by itself.
    std::thread::spawn(move || {
        let found = (host.as_str(), port).to_socket_addrs().and_then(|found| {
            let mut last = Err(std::io::ErrorKind::NotFound.into());
            for address in found.take(2) {
                last = TcpStream::connect_timeout(&address, PATIENCE).map(drop);
                if last.is_ok() {
                    break;
                }
            }
            last
        });
        // Whoever asked may have given up.
        let _ = answer.send(found);
    });
    let why = match answered.recv_timeout(PATIENCE) {
        Ok(Ok(())) => return None,
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer for {} seconds", PATIENCE.as_secs()),
    };
    let (host, port) = (&endpoint.host, endpoint.port);
    Some(format!("{UNREACHABLE}: {host}:{port}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_answers_is_reached_and_what_is_closed_is_said() {
        let open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = open.local_addr().unwrap().port();
        let env = BTreeMap::from([(
            "OPENAI_BASE_URL".to_owned(),
            format!("http://127.0.0.1:{port}/v1"),
        )]);
        let endpoint = first(&["api.example.org"], &env).unwrap();
        assert_eq!(unreachable(&endpoint), None);
        drop(open);
        let said = unreachable(&endpoint).unwrap();
        assert!(said.contains(&format!("127.0.0.1:{port}")), "{said}");
        let usual = first(&["api.example.org"], &BTreeMap::new());
        assert_eq!(usual, Some(Endpoint::new("api.example.org", 443)));
        assert_eq!(first(&[], &BTreeMap::new()), None);
    }
}
