//! Calls that build a tree of mounts.

#![allow(unsafe_code)]

use super::check;
use std::ffi::CStr;
use std::io::Result;
use std::os::fd::RawFd;

pub(crate) const MOUNT_ATTR_RDONLY: u64 = 0x1;
pub(crate) const MOUNT_ATTR_NOSUID: u64 = 0x2;
pub(crate) const MOUNT_ATTR_NODEV: u64 = 0x4;

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

/// A file system that is not configured yet.
pub(crate) fn open_filesystem(kind: &CStr) -> Result<RawFd> {
    const FSOPEN_CLOEXEC: libc::c_uint = 1;
    let made = call!(libc::SYS_fsopen, kind.as_ptr(), FSOPEN_CLOEXEC)?;
    Ok(made as RawFd)
}

pub(crate) fn set_text(filesystem: RawFd, name: &CStr, value: &CStr) -> Result<()> {
    const FSCONFIG_SET_STRING: libc::c_uint = 1;
    configure(
        filesystem,
        FSCONFIG_SET_STRING,
        name.as_ptr(),
        value.as_ptr(),
    )
}

pub(crate) fn set_flag(filesystem: RawFd, name: &CStr) -> Result<()> {
    const FSCONFIG_SET_FLAG: libc::c_uint = 0;
    configure(
        filesystem,
        FSCONFIG_SET_FLAG,
        name.as_ptr(),
        std::ptr::null(),
    )
}

pub(crate) fn create_filesystem(filesystem: RawFd) -> Result<()> {
    const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
    let none = std::ptr::null();
    configure(filesystem, FSCONFIG_CMD_CREATE, none, none)
}

fn configure(
    filesystem: RawFd,
    command: libc::c_uint,
    name: *const libc::c_char,
    value: *const libc::c_char,
) -> Result<()> {
    call!(libc::SYS_fsconfig, filesystem, command, name, value, 0).map(drop)
}

/// A mount of it that is nowhere yet.
pub(crate) fn mount_of(filesystem: RawFd, attributes: u64) -> Result<RawFd> {
    const FSMOUNT_CLOEXEC: libc::c_uint = 1;
    let made = call!(libc::SYS_fsmount, filesystem, FSMOUNT_CLOEXEC, attributes)?;
    Ok(made as RawFd)
}
