//! The inside of a network namespace: a loopback that is up, and one listening socket that is handed
//! out to our proxy. A socket belongs to the namespace that it was made in, so whoever accepts on it
//! outside serves the inside; no bridge is needed. There is no other way out.

#![allow(unsafe_code)]

use super::sys;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// The proxy's port inside. A fresh namespace has all ports free.
pub(crate) const PROXY_PORT: u16 = 3128;

fn check(result: libc::c_int) -> Result<libc::c_int> {
    if result < 0 {
        return Err(Error::last_os_error());
    }
    Ok(result)
}

fn socket(kind: libc::c_int) -> Result<RawFd> {
    // SAFETY: plain numbers.
    check(unsafe { libc::socket(libc::AF_INET, kind | libc::SOCK_CLOEXEC, 0) })
}

/// Turns the loopback on.
pub(crate) fn loopback_up() -> Result<()> {
    let socket = socket(libc::SOCK_DGRAM)?;
    // SAFETY: all zeros is a valid value of this plain structure.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(b"lo") {
        *place = *byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: a live structure of the type that this request takes.
    let done = check(unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw mut request) });
    sys::close(socket);
    done.map(drop)
}

/// Opens the proxy's port inside and sends the listening socket through `to`.
pub(crate) fn hand_out_listener(to: RawFd) -> Result<()> {
    let listener = socket(libc::SOCK_STREAM)?;
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: PROXY_PORT.to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from_ne_bytes([127, 0, 0, 1]),
        },
        sin_zero: [0; 8],
    };
    let size = size_of_val(&address) as libc::socklen_t;
    // SAFETY: a live structure and its size.
    check(unsafe { libc::bind(listener, (&raw const address).cast(), size) })?;
    // SAFETY: plain numbers.
    check(unsafe { libc::listen(listener, 128) })?;
    let sent = send(to, listener);
    sys::close(listener);
    sent
}

/// Room for the header and one descriptor, aligned as the kernel wants it.
#[repr(align(8))]
struct Control([u8; 64]);

/// The byte beside a file.
const WITH: u8 = b'+';
/// The byte that stands for a file that there is not.
const WITHOUT: u8 = b'-';

/// Says to the other side that no file comes.
pub(super) fn send_nothing(through: RawFd) -> Result<()> {
    sys::write(through, &[WITHOUT])
}

/// Sends a file to the other side.
pub(super) fn send(through: RawFd, fd: RawFd) -> Result<()> {
    let mut byte = [WITH];
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let mut control = Control([0; 64]);
    // SAFETY: all zeros is a valid value; the pointers set below live to the end of the call; 64
    // bytes hold one header and one descriptor, whose place the macros compute.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(fd);
        let sent = libc::sendmsg(through, &raw const message, libc::MSG_NOSIGNAL);
        if sent < 0 {
            return Err(Error::last_os_error());
        }
    }
    Ok(())
}

/// Takes the file that was sent, outside. It is there when the program has started.
pub(crate) fn receive(from: &UnixStream) -> Result<OwnedFd> {
    received(from)?.ok_or_else(|| Error::from_raw_os_error(libc::EPROTO))
}

/// Takes what was sent: a file, or the word that none comes. A file that got lost on its way, as
/// at the limit of open files, is neither.
pub(super) fn received(from: &UnixStream) -> Result<Option<OwnedFd>> {
    let mut byte = [0u8; 1];
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let mut control = Control([0; 64]);
    let flags = libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT;
    // SAFETY: as in `send`; the kernel fills the buffers, and a descriptor that it says is there
    // is new and ours alone.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = control.0.len() as _;
        let got = libc::recvmsg(from.as_raw_fd(), &raw mut message, flags);
        if got < 0 {
            return Err(Error::last_os_error());
        }
        if got == 1 && byte[0] == WITHOUT {
            return Ok(None);
        }
        if message.msg_flags & libc::MSG_CTRUNC != 0 {
            return Err(Error::from_raw_os_error(libc::EMFILE));
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return Err(Error::from_raw_os_error(libc::EPROTO));
        }
        let fd = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
        Ok(Some(OwnedFd::from_raw_fd(fd)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_no_file_and_silence_are_three_things() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (reader, _writer) = std::io::pipe().unwrap();
        let silent = received(&ours).unwrap_err();
        assert_eq!(silent.raw_os_error(), Some(libc::EAGAIN));
        send(theirs.as_raw_fd(), reader.as_raw_fd()).unwrap();
        assert!(received(&ours).unwrap().is_some());
        send_nothing(theirs.as_raw_fd()).unwrap();
        assert!(received(&ours).unwrap().is_none());
        send_nothing(theirs.as_raw_fd()).unwrap();
        assert!(receive(&ours).is_err(), "a promised file must come");
        // A byte that nobody of ours sends, and the end.
        sys::write(theirs.as_raw_fd(), b"?").unwrap();
        assert!(received(&ours).is_err());
        drop(theirs);
        assert!(received(&ours).is_err());
    }
}
