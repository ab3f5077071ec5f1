//! A policy as a profile for macOS's `sandbox-exec`. Pure text: it was never run by us, because no
//! machine of ours has macOS; the tests hold its form only. It refuses by default and lists what
//! is allowed.

use crate::{Endpoint, Network, Policy};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What programs on macOS need to start at all.
const SYSTEM: [&str; 12] = [
    "/usr/lib",
    "/usr/bin",
    "/usr/sbin",
    "/usr/share",
    "/usr/libexec",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Apple",
    "/Library/Developer/CommandLineTools",
    "/private/etc/ssl",
    "/private/var/db/dyld",
];

const FILES: [&str; 5] = [
    "/private/etc/hosts",
    "/private/etc/passwd",
    "/private/etc/group",
    "/private/etc/resolv.conf",
    "/private/etc/localtime",
];

/// The profile. `proxy` is the port of our proxy on the loopback, if there is one.
pub(crate) fn profile(policy: &Policy, proxy: Option<u16>) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n(allow process-fork)\n(allow signal (target same-sandbox))\n\
         (allow sysctl-read)\n(allow process-info* (target same-sandbox))\n\
         (allow file-read-metadata (literal \"/\"))\n",
    );
    let read: Vec<PathBuf> = SYSTEM
        .iter()
        .map(PathBuf::from)
        .chain(policy.read.clone())
        .collect();
    for root in &read {
        allow(&mut text, "file-read* process-exec*", "subpath", root);
    }
    for file in FILES {
        allow(&mut text, "file-read*", "literal", Path::new(file));
    }
    for device in ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"] {
        allow(
            &mut text,
            "file-read* file-write-data file-ioctl",
            "literal",
            Path::new(device),
        );
    }
    for root in &policy.write {
        allow(
            &mut text,
            "file-read* file-write* process-exec*",
            "subpath",
            root,
        );
    }
    // Of several rules that fit, the last one counts: these must come after what is allowed.
    for hidden in &policy.hidden {
        rule(
            &mut text,
            "deny",
            "file-read* file-write* process-exec*",
            "subpath",
            hidden,
        );
    }
    match &policy.network {
        Network::None => {}
        Network::Loopback => {
            text.push_str("(allow network* (local ip \"localhost:*\"))\n");
        }
        Network::Endpoints(_) => {
            if let Some(port) = proxy {
                let _ = writeln!(
                    text,
                    "(allow network-outbound (remote ip \"localhost:{port}\"))"
                );
            }
        }
        Network::Full => {
            text.push_str(
                "(allow network*)\n(allow mach-lookup (global-name \"com.apple.dnssd.service\"))\n",
            );
        }
    }
    text
}

/// What a policy asks for that a profile cannot hold.
pub(crate) fn missing(policy: &Policy) -> Vec<String> {
    let bounds = &policy.bounds;
    let limits = [
        ("processor time", bounds.cpu.is_some()),
        ("memory", bounds.memory.is_some()),
        ("processes", bounds.processes.is_some()),
        ("file size", bounds.file_size.is_some()),
    ];
    let limits = limits.iter().filter(|(_, asked)| *asked);
    limits
        .map(|(name, _)| format!("the limit on {name}: there is none on macOS yet"))
        .collect()
}

/// The endpoints that the proxy lets through.
pub(crate) fn endpoints(policy: &Policy) -> Option<Vec<Endpoint>> {
    match &policy.network {
        Network::Endpoints(endpoints) => Some(endpoints.clone()),
        Network::None | Network::Loopback | Network::Full => None,
    }
}

fn allow(text: &mut String, what: &str, how: &str, path: &Path) {
    rule(text, "allow", what, how, path);
}

fn rule(text: &mut String, verdict: &str, what: &str, how: &str, path: &Path) {
    // In a profile's string, a quote or a backslash would end or bend it.
    let escaped = path
        .display()
        .to_string()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    let _ = writeln!(text, "({verdict} {what} ({how} \"{escaped}\"))");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_default_is_no_and_roots_are_listed() {
        let text = profile(&Policy::confined(["/r"], ["/w"]), None);
        assert!(text.starts_with("(version 1)\n(deny default)\n"));
        assert!(text.contains("(allow file-read* process-exec* (subpath \"/r\"))"));
        assert!(text.contains("(allow file-read* file-write* process-exec* (subpath \"/w\"))"));
        assert!(!text.contains("network"));
    }

    /// Every rule with a path: its verdict, what it is about, and the path.
    fn rules(text: &str) -> Vec<(&str, &str, &str)> {
        let of_paths = text
            .lines()
            .filter(|line| line.contains("path \"") || line.contains("literal \""));
        of_paths
            .map(|line| {
                let line = line
                    .strip_prefix('(')
                    .unwrap()
                    .strip_suffix("\"))")
                    .unwrap();
                let (verdict, rest) = line.split_once(' ').unwrap();
                let (what, path) = rest.split_once(" (").unwrap();
                (verdict, what, path.split_once('"').unwrap().1)
            })
            .collect()
    }

    #[test]
    fn exactly_the_roots_of_the_policy_and_of_the_system_are_named() {
        let mut policy = Policy::confined(["/r/one", "/r/two"], ["/w/one", "/w/two"]);
        policy.hidden = vec!["/w/one/.proofhouse".into()];
        let text = profile(&policy, None);
        let named = |wanted: &str| -> Vec<&str> {
            let rules = rules(&text);
            let fitting = rules.iter().filter(|(verdict, what, _)| {
                *verdict == "allow" && what.split(' ').any(|one| one == wanted)
            });
            fitting.map(|(_, _, path)| *path).collect()
        };
        assert_eq!(named("file-write*"), ["/w/one", "/w/two"]);
        let ours = ["/r/one", "/r/two", "/w/one", "/w/two"];
        let devices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
        let mut readable = named("file-read*");
        readable.retain(|path| !SYSTEM.contains(path) && !FILES.contains(path));
        readable.retain(|path| !devices.contains(path));
        assert_eq!(readable, ours);
        assert_eq!(named("file-write-data"), devices);
        let system_or_ours = |path: &str| SYSTEM.contains(&path) || ours.contains(&path);
        assert!(named("process-exec*").into_iter().all(system_or_ours));
        // Nothing is allowed without a path, but what no file or address is behind.
        let bare = text.lines().filter(|line| line.starts_with("(allow"));
        let bare = bare.filter(|line| !line.contains("path \"") && !line.contains("literal \""));
        let harmless = [
            "(allow process-fork)",
            "(allow signal (target same-sandbox))",
            "(allow sysctl-read)",
            "(allow process-info* (target same-sandbox))",
        ];
        assert_eq!(bare.collect::<Vec<_>>(), harmless);
        let secret = [
            "/private/etc/master.passwd",
            "/Users",
            "/private/var/root",
            "/tmp",
        ];
        let above = |path: &&str| secret.iter().any(|one| Path::new(one).starts_with(path));
        let rules = rules(&text);
        let subpaths = rules
            .iter()
            .map(|(_, _, path)| *path)
            .filter(|path| *path != "/");
        assert_eq!(subpaths.filter(above).count(), 0, "{text}");
    }

    #[test]
    fn what_is_hidden_is_denied_after_everything_that_is_allowed() {
        let mut policy = Policy::confined(["/r"], ["/w"]);
        policy.hidden = vec!["/w/.proofhouse".into(), "/r/\"key".into()];
        let text = profile(&policy, None);
        let hidden = "(deny file-read* file-write* process-exec* (subpath \"/w/.proofhouse\"))";
        let at = text.find(hidden).unwrap();
        assert!(text.contains("(subpath \"/r/\\\"key\"))"), "{text}");
        assert!(!text[at..].contains("(allow file"), "{text}");
    }

    #[test]
    fn the_network_follows_the_policy() {
        let with = |network| Policy {
            network,
            ..Policy::confined(["/r"], ["/w"])
        };
        let endpoints = with(Network::Endpoints(vec![Endpoint::new("h", 443)]));
        let text = profile(&endpoints, Some(4000));
        assert!(text.contains("(allow network-outbound (remote ip \"localhost:4000\"))"));
        assert!(!text.contains("network*") && !profile(&endpoints, None).contains("network"));
        assert!(profile(&with(Network::Full), None).contains("(allow network*)"));
        assert!(profile(&with(Network::Loopback), None).contains("localhost:*"));
    }

    #[test]
    fn a_path_cannot_add_a_rule() {
        let evil = "/a\")) (allow default) (\"";
        let text = profile(&Policy::confined([evil], ["/w\\"]), None);
        assert!(text.contains("(subpath \"/a\\\")) (allow default) (\\\"\")"));
        assert!(text.contains("(subpath \"/w\\\\\")"));
    }

    #[test]
    fn what_it_cannot_hold_is_said() {
        let mut policy = Policy::confined(["/r"], ["/w"]);
        assert!(missing(&policy).is_empty());
        policy.bounds.memory = Some(1);
        policy.bounds.cpu = Some(Duration::from_secs(1));
        assert_eq!(missing(&policy).len(), 2);
    }
}
