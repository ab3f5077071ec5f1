//! Calls that give up rights: Landlock, seccomp, capabilities, limits.

#![allow(unsafe_code)]

use super::{check, prctl};
use std::io::{Error, Result};
use std::os::fd::RawFd;

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
