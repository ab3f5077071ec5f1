//! The system calls of confinement, each a thin wrapper. They are called between fork and exec in
//! a copy of a process with threads, so nothing here allocates, locks or calls back; errors are
//! bare error numbers. It refuses to decide anything.
//!
//! Raw numbers and structures where neither libc nor rustix has a call that is safe there.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io::{Error, Result};
use std::os::fd::RawFd;

pub(crate) const MOUNT_ATTR_RDONLY: u64 = 0x1;
pub(crate) const MOUNT_ATTR_NOSUID: u64 = 0x2;
pub(crate) const MOUNT_ATTR_NODEV: u64 = 0x4;

fn check(result: libc::c_long) -> Result<libc::c_long> {
    if result < 0 {
        return Err(Error::last_os_error());
    }
    Ok(result)
}

/// One system call on plain numbers.
macro_rules! call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        // SAFETY: every caller in this file passes numbers, pointers to live, NUL-ended strings,
        // or pointers to live structures of the size that it states; the kernel copies them in.
        check(unsafe { libc::syscall($number $(, $argument)*) })
    };
}

/// A process forked by [`fork`].
pub(crate) enum Forked {
    Parent(libc::pid_t),
    Child,
}

/// A fork without libc's handlers, which may take locks that a dead thread holds.
pub(crate) fn fork() -> Result<Forked> {
    let flags = libc::SIGCHLD as libc::c_ulong;
    let pid = call!(libc::SYS_clone, flags, 0usize, 0usize, 0usize, 0usize)?;
    Ok(match libc::pid_t::try_from(pid) {
        Ok(0) => Forked::Child,
        Ok(pid) => Forked::Parent(pid),
        Err(_) => return Err(Error::from_raw_os_error(libc::EOVERFLOW)),
    })
}

pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: ends the process at once, without any handler.
    unsafe { libc::_exit(code) }
}

pub(crate) fn unshare(flags: libc::c_int) -> Result<()> {
    call!(libc::SYS_unshare, flags).map(drop)
}

pub(crate) fn prctl(option: libc::c_int, value: libc::c_ulong) -> Result<()> {
    let zero: libc::c_ulong = 0;
    let option = libc::c_long::from(option);
    call!(libc::SYS_prctl, option, value, zero, zero, zero).map(drop)
}

pub(crate) fn open(path: &CStr, flags: libc::c_int, mode: libc::c_uint) -> Result<RawFd> {
    let flags = flags | libc::O_CLOEXEC;
    let fd = call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, mode)?;
    Ok(fd as RawFd)
}

/// Opens what is at the path only if no part of it is a symbolic link.
pub(crate) fn open_exactly(path: &CStr) -> Result<RawFd> {
    const RESOLVE_NO_SYMLINKS: u64 = 0x04;
    let how: [u64; 3] = [
        (libc::O_PATH | libc::O_CLOEXEC) as u64,
        0,
        RESOLVE_NO_SYMLINKS,
    ];
    let size = size_of_val(&how);
    let fd = call!(
        libc::SYS_openat2,
        libc::AT_FDCWD,
        path.as_ptr(),
        how.as_ptr(),
        size
    )?;
    Ok(fd as RawFd)
}

pub(crate) fn write(fd: RawFd, bytes: &[u8]) -> Result<()> {
    let written = call!(libc::SYS_write, fd, bytes.as_ptr(), bytes.len())?;
    if written as usize == bytes.len() {
        Ok(())
    } else {
        Err(Error::from_raw_os_error(libc::EIO))
    }
}

/// Writes a file that is there.
pub(crate) fn write_file(path: &CStr, bytes: &[u8]) -> Result<()> {
    let fd = open(path, libc::O_WRONLY, 0)?;
    let written = write(fd, bytes);
    close(fd);
    written
}

pub(crate) fn close(fd: RawFd) {
    let _ = call!(libc::SYS_close, fd);
}

/// Closes every file but these two, which are at least 3 or -1.
pub(crate) fn close_all_but(keep: [RawFd; 2]) {
    let (low, high) = (keep[0].min(keep[1]), keep[0].max(keep[1]));
    let mut from: libc::c_uint = 0;
    for fd in [low, high] {
        let Ok(fd) = libc::c_uint::try_from(fd) else {
            continue;
        };
        if fd > from {
            let _ = call!(libc::SYS_close_range, from, fd - 1, 0);
        }
        from = fd + 1;
    }
    let _ = call!(libc::SYS_close_range, from, libc::c_uint::MAX, 0);
}

pub(crate) fn mkdir(path: &CStr, mode: libc::c_uint) -> Result<()> {
    call!(libc::SYS_mkdirat, libc::AT_FDCWD, path.as_ptr(), mode).map(drop)
}

pub(crate) fn symlink(to: &CStr, at: &CStr) -> Result<()> {
    call!(
        libc::SYS_symlinkat,
        to.as_ptr(),
        libc::AT_FDCWD,
        at.as_ptr()
    )
    .map(drop)
}

pub(crate) fn rmdir(path: &CStr) -> Result<()> {
    let flags = libc::AT_REMOVEDIR;
    call!(libc::SYS_unlinkat, libc::AT_FDCWD, path.as_ptr(), flags).map(drop)
}

pub(crate) fn chdir(path: &CStr) -> Result<()> {
    call!(libc::SYS_chdir, path.as_ptr()).map(drop)
}

pub(crate) fn mount(kind: &CStr, at: &CStr, flags: libc::c_ulong, data: &CStr) -> Result<()> {
    call!(
        libc::SYS_mount,
        kind.as_ptr(),
        at.as_ptr(),
        kind.as_ptr(),
        flags,
        data.as_ptr()
    )
    .map(drop)
}

pub(crate) fn umount_lazily(path: &CStr) -> Result<()> {
    call!(libc::SYS_umount2, path.as_ptr(), libc::MNT_DETACH).map(drop)
}

pub(crate) fn pivot_root(new: &CStr, old: &CStr) -> Result<()> {
    call!(libc::SYS_pivot_root, new.as_ptr(), old.as_ptr()).map(drop)
}

/// A detached copy of the mounts at and below an open path.
pub(crate) fn open_tree(fd: RawFd) -> Result<RawFd> {
    const OPEN_TREE_CLONE: libc::c_uint = 1;
    const AT_RECURSIVE: libc::c_uint = 0x8000;
    let flags = OPEN_TREE_CLONE
        | AT_RECURSIVE
        | libc::AT_EMPTY_PATH as libc::c_uint
        | libc::O_CLOEXEC as libc::c_uint;
    let tree = call!(libc::SYS_open_tree, fd, c"".as_ptr(), flags)?;
    Ok(tree as RawFd)
}

/// Sets attributes on a tree and all mounts below it.
pub(crate) fn restrict_tree(tree: RawFd, attributes: u64) -> Result<()> {
    const AT_RECURSIVE: libc::c_uint = 0x8000;
    let flags = AT_RECURSIVE | libc::AT_EMPTY_PATH as libc::c_uint;
    set_attributes(tree, c"", flags, attributes)
}

/// Makes the one mount at the path read-only.
pub(crate) fn make_read_only(path: &CStr) -> Result<()> {
    set_attributes(libc::AT_FDCWD, path, 0, MOUNT_ATTR_RDONLY)
}

fn set_attributes(fd: RawFd, path: &CStr, flags: libc::c_uint, attributes: u64) -> Result<()> {
    // attr_set, attr_clr, propagation, userns_fd
    let attr: [u64; 4] = [attributes, 0, 0, 0];
    let size = size_of_val(&attr);
    call!(
        libc::SYS_mount_setattr,
        fd,
        path.as_ptr(),
        flags,
        attr.as_ptr(),
        size
    )
    .map(drop)
}

pub(crate) fn move_mount(tree: RawFd, at: &CStr) -> Result<()> {
    const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
    call!(
        libc::SYS_move_mount,
        tree,
        c"".as_ptr(),
        libc::AT_FDCWD,
        at.as_ptr(),
        MOVE_MOUNT_F_EMPTY_PATH
    )
    .map(drop)
}

/// The kernel's Landlock version, 0 for none.
pub(crate) fn landlock_version() -> u32 {
    const VERSION: libc::c_uint = 1;
    let version = call!(libc::SYS_landlock_create_ruleset, 0usize, 0usize, VERSION);
    version
        .ok()
        .and_then(|version| u32::try_from(version).ok())
        .unwrap_or(0)
}

pub(crate) fn landlock_create(handled: &[u64]) -> Result<RawFd> {
    let (pointer, size) = (handled.as_ptr(), size_of_val(handled));
    let fd = call!(libc::SYS_landlock_create_ruleset, pointer, size, 0)?;
    Ok(fd as RawFd)
}

pub(crate) fn landlock_allow_beneath(ruleset: RawFd, parent: RawFd, access: u64) -> Result<()> {
    // A packed structure of u64 and i32; the kernel reads these twelve bytes.
    let mut rule = [0u8; 12];
    rule[..8].copy_from_slice(&access.to_ne_bytes());
    rule[8..].copy_from_slice(&parent.to_ne_bytes());
    const PATH_BENEATH: libc::c_int = 1;
    call!(
        libc::SYS_landlock_add_rule,
        ruleset,
        PATH_BENEATH,
        rule.as_ptr(),
        0
    )
    .map(drop)
}

pub(crate) fn landlock_allow_port(ruleset: RawFd, port: u16, access: u64) -> Result<()> {
    let rule: [u64; 2] = [access, u64::from(port)];
    const NET_PORT: libc::c_int = 2;
    call!(
        libc::SYS_landlock_add_rule,
        ruleset,
        NET_PORT,
        rule.as_ptr(),
        0
    )
    .map(drop)
}

pub(crate) fn landlock_restrict(ruleset: RawFd) -> Result<()> {
    call!(libc::SYS_landlock_restrict_self, ruleset, 0).map(drop)
}

/// Puts a filter on this process and all that it starts.
pub(crate) fn seccomp(filter: &[libc::sock_filter]) -> Result<()> {
    let Ok(len) = libc::c_ushort::try_from(filter.len()) else {
        return Err(Error::from_raw_os_error(libc::E2BIG));
    };
    let program = libc::sock_fprog {
        len,
        filter: filter.as_ptr().cast_mut(),
    };
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    call!(libc::SYS_seccomp, mode, 0, &raw const program).map(drop)
}

/// Gives up all capabilities but those in the mask.
pub(crate) fn keep_capabilities(mask: u64) -> Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    const LAST: u64 = 63;
    for number in 0..=LAST {
        if mask & (1 << number) == 0 {
            // Refused for those that the kernel does not know, and where we may not: then the
            // call below, no_new_privs and the namespace's own limits hold.
            let _ = prctl(libc::PR_CAPBSET_DROP, number as libc::c_ulong);
        }
    }
    let header: [u32; 2] = [VERSION_3, 0];
    // effective, permitted, inheritable; low words, then high words.
    let mut now = [0u32; 6];
    call!(libc::SYS_capget, header.as_ptr(), now.as_mut_ptr())?;
    let (low, high) = (mask as u32, (mask >> 32) as u32);
    let kept = [
        now[0] & low,
        now[1] & low,
        0,
        now[3] & high,
        now[4] & high,
        0,
    ];
    call!(libc::SYS_capset, header.as_ptr(), kept.as_ptr()).map(drop)
}

pub(crate) fn limit(resource: libc::c_int, value: u64) -> Result<()> {
    let limit: [u64; 2] = [value, value];
    call!(libc::SYS_prlimit64, 0, resource, limit.as_ptr(), 0usize).map(drop)
}

/// Lifts a soft limit to the hard one, then lowers both to the value, never raising the hard one.
pub(crate) fn limit_at_most(resource: libc::c_int, value: u64) -> Result<()> {
    let mut now: [u64; 2] = [0, 0];
    call!(libc::SYS_prlimit64, 0, resource, 0usize, now.as_mut_ptr())?;
    limit(resource, value.min(now[1]))
}

/// Does the other end of a pipe still have a writer?
pub(crate) fn has_writer(reader: RawFd) -> bool {
    let mut fd = libc::pollfd {
        fd: reader,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one live structure; a zero timeout never blocks.
    let ready = unsafe { libc::poll(&raw mut fd, 1, 0) };
    ready == 0
}

pub(crate) fn pipe() -> Result<[RawFd; 2]> {
    let mut fds: [RawFd; 2] = [-1, -1];
    call!(libc::SYS_pipe2, fds.as_mut_ptr(), libc::O_CLOEXEC)?;
    Ok(fds)
}
