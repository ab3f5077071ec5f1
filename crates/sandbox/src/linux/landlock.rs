//! Landlock rules, prepared before the fork and put in force after it. Every right that the kernel
//! knows is handled: what has no rule is denied.
//!
//! The calls are made raw: the private `/tmp` exists only in the child, so its rule must be added
//! between fork and exec, where the landlock crate would allocate.

use super::sys;
use std::ffi::CString;
use std::io::Result;
use std::os::fd::RawFd;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
const ON_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const BIND_TCP: u64 = 1;
const CONNECT_TCP: u64 = 2;
const SCOPE_ABSTRACT_SOCKET: u64 = 1;
const SCOPE_SIGNAL: u64 = 2;

/// What is allowed at and below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// List folders.
    List,
    /// Read and run.
    Read,
    /// Everything but making devices.
    Write,
    /// Read and write a device that is there.
    Device,
}

/// Is the path a folder?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Folder,
    File,
}

#[derive(Debug)]
struct Rule {
    path: CString,
    access: u64,
}

/// TCP, as far as Landlock holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tcp {
    Unheld,
    Nothing,
    OnlyTo(u16),
}

/// A ruleset that is not in force yet.
#[derive(Debug)]
pub(crate) struct Rules {
    handled: [u64; 3],
    fields: usize,
    rules: Vec<Rule>,
    port: Option<u16>,
}

impl Rules {
    /// For a kernel with this version, which is not 0.
    pub(crate) fn new(abi: u32, tcp: Tcp) -> Self {
        let files = match abi {
            0 | 1 => (1 << 13) - 1,
            2 => (1 << 14) - 1,
            3 | 4 => (1 << 15) - 1,
            _ => (1 << 16) - 1,
        };
        let net = match tcp {
            Tcp::Unheld => 0,
            Tcp::Nothing | Tcp::OnlyTo(_) => BIND_TCP | CONNECT_TCP,
        };
        Self {
            handled: [files, net, SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL],
            // Older kernels want exactly the fields that they know.
            fields: match abi {
                0..=3 => 1,
                4 | 5 => 2,
                _ => 3,
            },
            rules: Vec::new(),
            port: match tcp {
                Tcp::OnlyTo(port) => Some(port),
                Tcp::Unheld | Tcp::Nothing => None,
            },
        }
    }

    pub(crate) fn allow(&mut self, path: CString, access: Access, shape: Shape) {
        let rights = match access {
            Access::List => READ_DIR,
            Access::Read => EXECUTE | READ_FILE | READ_DIR,
            Access::Write => !(MAKE_CHAR | MAKE_BLOCK),
            Access::Device => READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
        };
        let fitting = match shape {
            Shape::Folder => u64::MAX,
            Shape::File => ON_FILES,
        };
        self.rules.push(Rule {
            path,
            access: rights & fitting & self.handled[0],
        });
    }

    /// Puts the rules in force. Allocates nothing.
    pub(crate) fn enter(&self) -> Result<()> {
        let ruleset = sys::landlock_create(&self.handled[..self.fields])?;
        for rule in &self.rules {
            add(ruleset, rule)?;
        }
        if let Some(port) = self.port {
            sys::landlock_allow_port(ruleset, port, CONNECT_TCP)?;
        }
        let done = sys::landlock_restrict(ruleset);
        sys::close(ruleset);
        done
    }
}

fn add(ruleset: RawFd, rule: &Rule) -> Result<()> {
    let place = sys::open(&rule.path, libc::O_PATH, 0)?;
    let added = sys::landlock_allow_beneath(ruleset, place, rule.access);
    sys::close(place);
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_gets_the_fields_and_rights_that_it_knows() {
        for (abi, fields, highest) in [(1, 1, 12), (2, 1, 13), (3, 1, 14), (4, 2, 14), (7, 3, 15)] {
            let mut rules = Rules::new(abi, Tcp::Nothing);
            assert_eq!(rules.fields, fields);
            assert_eq!(rules.handled[0].ilog2(), highest);
            rules.allow(c"/".into(), Access::Write, Shape::Folder);
            assert_eq!(rules.rules[0].access & !rules.handled[0], 0);
            assert_eq!(rules.rules[0].access & MAKE_CHAR, 0);
        }
    }

    #[test]
    fn a_rule_on_a_file_has_no_rights_of_folders() {
        let mut rules = Rules::new(7, Tcp::OnlyTo(9));
        rules.allow(c"/etc/hosts".into(), Access::Read, Shape::File);
        assert_eq!(rules.rules[0].access, EXECUTE | READ_FILE);
        assert_eq!(rules.port, Some(9));
    }
}
