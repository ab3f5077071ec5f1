//! A socket address, as a program wrote it into its memory. Pure. What it does not know has no name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The longest address that we read: a UNIX path has 108 bytes.
pub(super) const LONGEST: usize = 128;

/// Where somebody wants to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    Internet(SocketAddr),
    /// A UNIX socket by its path.
    Path(Vec<u8>),
    /// A UNIX socket by a name that is in no folder.
    Abstract(Vec<u8>),
}

/// How the address was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    ToConnect,
    /// With a datagram: there, the kernel takes an address of no family for IPv4.
    ToSend,
}

/// Reads it. None: it leads nowhere, such as the one that takes a connection back.
pub(super) fn read(bytes: &[u8], given: Given) -> Option<Address> {
    let family = u16::from_ne_bytes(*bytes.first_chunk()?);
    let port = || {
        let bytes = bytes.get(2..4)?;
        bytes.first_chunk().copied().map(u16::from_be_bytes)
    };
    let v4 = || {
        let four: [u8; 4] = bytes.get(4..8)?.first_chunk().copied()?;
        let address = IpAddr::V4(Ipv4Addr::from(four));
        Some(Address::Internet(SocketAddr::new(address, port()?)))
    };
    match i32::from(family) {
        libc::AF_INET => v4(),
        libc::AF_UNSPEC if given == Given::ToSend => v4(),
        libc::AF_INET6 => {
            let sixteen: [u8; 16] = bytes.get(8..24)?.first_chunk().copied()?;
            // An IPv4 address in IPv6's clothes is the same target.
            let address = IpAddr::V6(Ipv6Addr::from(sixteen)).to_canonical();
            Some(Address::Internet(SocketAddr::new(address, port()?)))
        }
        libc::AF_UNIX => match bytes.get(2..)? {
            [] => None,
            [0, name @ ..] => Some(Address::Abstract(name.to_vec())),
            path => {
                let end = path.iter().position(|byte| *byte == 0);
                Some(Address::Path(path[..end.unwrap_or(path.len())].to_vec()))
            }
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(family: libc::c_int, rest: &[u8]) -> Vec<u8> {
        let mut bytes = (family as u16).to_ne_bytes().to_vec();
        bytes.extend(rest);
        bytes
    }

    fn shown(bytes: &[u8], given: Given) -> Option<String> {
        match read(bytes, given)? {
            Address::Internet(address) => Some(address.to_string()),
            Address::Path(path) => Some(String::from_utf8(path).unwrap()),
            Address::Abstract(name) => Some(format!("@{}", String::from_utf8(name).unwrap())),
        }
    }

    #[test]
    fn every_family_is_read() {
        let connect = |bytes: &[u8]| shown(bytes, Given::ToConnect);
        let v4 = [0x01, 0xbb, 192, 0, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(connect(&of(libc::AF_INET, &v4)).unwrap(), "192.0.2.7:443");
        let mut v6 = vec![0, 53, 0, 0, 0, 0];
        v6.extend("2001:db8::1".parse::<Ipv6Addr>().unwrap().octets());
        v6.extend([0; 4]);
        assert_eq!(
            connect(&of(libc::AF_INET6, &v6)).unwrap(),
            "[2001:db8::1]:53"
        );
        let mapped = "::ffff:127.0.0.1".parse::<Ipv6Addr>().unwrap().octets();
        v6[6..22].copy_from_slice(&mapped);
        assert_eq!(connect(&of(libc::AF_INET6, &v6)).unwrap(), "127.0.0.1:53");
        assert_eq!(
            connect(&of(libc::AF_UNIX, b"/run/x\0rest")).unwrap(),
            "/run/x"
        );
        assert_eq!(connect(&of(libc::AF_UNIX, b"\0name")).unwrap(), "@name");
    }

    #[test]
    fn what_leads_nowhere_has_no_name() {
        let rest = [0x01, 0xbb, 192, 0, 2, 7, 0, 0];
        let unspecified = of(libc::AF_UNSPEC, &rest);
        assert_eq!(shown(&unspecified, Given::ToConnect), None);
        assert_eq!(shown(&unspecified, Given::ToSend).unwrap(), "192.0.2.7:443");
        for bytes in [
            of(libc::AF_NETLINK, &[0; 10]),
            of(libc::AF_UNIX, b""),
            of(libc::AF_INET, &[1]),
            of(libc::AF_INET6, &[0; 10]),
            vec![1],
            Vec::new(),
        ] {
            assert_eq!(read(&bytes, Given::ToConnect), None, "{bytes:?}");
        }
    }
}
