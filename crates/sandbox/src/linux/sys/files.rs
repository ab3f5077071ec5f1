//! Calls on files and folders.

#![allow(unsafe_code)]

use super::{check, close};
use std::ffi::CStr;
use std::io::{Error, Result};
use std::os::fd::RawFd;

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
