//! A root of its own for a confined process: only what the policy names is there. No symbolic link
//! is followed on the way to what is bound, and the old root does not stay behind.

use super::landlock::{Access, Shape};
use super::roots::{Entry, What};
use super::sys;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io::Result;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where the new root is put before it becomes the root. It is free again afterwards.
const STAGE: &CStr = c"/tmp";
const OLD: &CStr = c".old";
const OLD_INSIDE: &CStr = c"/.old";

#[derive(Debug)]
enum Op {
    Folder(CString),
    File(CString),
    Link { to: CString, at: CString },
    Scratch { at: CString, options: CString },
    Empty(CString),
    Processes,
    Terminals,
    Bind(Bind),
    Layered(Layered),
}

#[derive(Debug)]
struct Bind {
    source: CString,
    at: CString,
    attributes: u64,
    tree: RawFd,
}

#[derive(Debug)]
struct Layered {
    lower: CString,
    upper: CString,
    work: CString,
    at: CString,
    tree: RawFd,
}

/// Everything to be mounted, prepared before the fork.
#[derive(Debug)]
pub(crate) struct Mounts {
    ops: Vec<Op>,
    processes: CString,
    home: Option<CString>,
    pid_max: Option<Vec<u8>>,
}

/// What a step is about.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// Is it an overlay? There are other ways to have what one gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Overlay,
    Other,
}

/// A path as the kernel wants it. Paths hold no NUL: they come from the file system.
pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

impl Mounts {
    /// `home` is a folder to be made in the scratch space.
    pub(crate) fn prepare(entries: &[Entry], scratch: u64, home: Option<&Path>) -> Self {
        let mut ops = Vec::new();
        let mut made = BTreeSet::from([PathBuf::from("/")]);
        for entry in entries {
            let parents: Vec<&Path> = entry.at.ancestors().skip(1).collect();
            for parent in parents.into_iter().rev() {
                if made.insert(parent.to_path_buf()) {
                    ops.push(Op::Folder(c_path(parent)));
                }
            }
            made.insert(entry.at.clone());
            let at = c_path(&entry.at);
            match &entry.what {
                What::Link(to) => ops.push(Op::Link { to: c_path(to), at }),
                What::Scratch => {
                    let options = format!("mode=1777,size={scratch}");
                    let options = CString::new(options).unwrap_or_default();
                    ops.push(Op::Folder(at.clone()));
                    ops.push(Op::Scratch { at, options });
                }
                What::Empty(Shape::Folder) => ops.push(Op::Empty(at)),
                What::Empty(Shape::File) => ops.push(Op::Bind(Bind {
                    source: c"/dev/null".into(),
                    at,
                    attributes: sys::MOUNT_ATTR_RDONLY | sys::MOUNT_ATTR_NOSUID,
                    tree: -1,
                })),
                What::Processes => ops.extend([Op::Folder(at), Op::Processes]),
                What::Terminals => ops.extend([Op::Folder(at), Op::Terminals]),
                What::Layered([lower, upper, work]) => {
                    ops.push(Op::Folder(at.clone()));
                    ops.push(Op::Layered(Layered {
                        lower: c_layer(lower),
                        upper: c_layer(upper),
                        work: c_layer(work),
                        at,
                        tree: -1,
                    }));
                }
                What::Outside(source, access, shape) => {
                    ops.push(match shape {
                        Shape::Folder => Op::Folder(at.clone()),
                        Shape::File => Op::File(at.clone()),
                    });
                    let attributes = match access {
                        Access::Write => sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV,
                        Access::Device => sys::MOUNT_ATTR_NOSUID,
                        Access::List | Access::Read => {
                            sys::MOUNT_ATTR_RDONLY | sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV
                        }
                    };
                    ops.push(Op::Bind(Bind {
                        source: c_path(source),
                        at,
                        attributes,
                        tree: -1,
                    }));
                }
            }
        }
        Self {
            ops,
            processes: c"/proc".into(),
            home: home.map(c_path),
            pid_max: None,
        }
    }

    /// Lets the PID namespace have at most this many processes. Only for kernels where the number
    /// is the namespace's own.
    pub(crate) fn bound_processes(&mut self, processes: u32) {
        // The first 300 numbers are not given out a second time.
        let most = u64::from(processes).saturating_add(300).min(4_000_000);
        self.pid_max = Some(most.to_string().into_bytes());
    }

    /// What each step is about, for an error.
    pub(crate) fn names(&self) -> Vec<Named> {
        let named = |op: &Op| {
            let (path, kind) = match op {
                Op::Layered(layered) => (&layered.lower, Kind::Overlay),
                Op::Bind(bind) => (&bind.source, Kind::Other),
                Op::Scratch { at, .. }
                | Op::Folder(at)
                | Op::File(at)
                | Op::Empty(at)
                | Op::Link { at, .. } => (at, Kind::Other),
                Op::Processes | Op::Terminals => (&self.processes, Kind::Other),
            };
            let name = path.to_string_lossy().into_owned();
            Named { name, kind }
        };
        self.ops.iter().map(named).collect()
    }

    /// Makes the root. Runs in a mount namespace of its own; allocates nothing. An error comes
    /// with the number of the step.
    pub(crate) fn enter(&mut self) -> std::result::Result<(), (usize, std::io::Error)> {
        let nowhere = self.ops.len();
        let general = |error| (nowhere, error);
        let private = libc::MS_REC | libc::MS_PRIVATE;
        sys::mount(c"none", c"/", private, c"").map_err(general)?;
        for (index, op) in self.ops.iter_mut().enumerate() {
            let taken = match op {
                Op::Bind(bind) => bind.take(),
                Op::Layered(layered) => layered.take(),
                _ => Ok(()),
            };
            taken.map_err(|error| (index, error))?;
        }
        let plain = libc::MS_NOSUID | libc::MS_NODEV;
        sys::mount(c"tmpfs", STAGE, plain, c"mode=755,size=1m").map_err(general)?;
        sys::chdir(STAGE).map_err(general)?;
        sys::mkdir(OLD, 0o700).map_err(general)?;
        sys::pivot_root(c".", OLD).map_err(general)?;
        sys::chdir(c"/").map_err(general)?;
        for (index, op) in self.ops.iter().enumerate() {
            perform(op).map_err(|error| (index, error))?;
        }
        if let Some(home) = &self.home {
            sys::mkdir(home, 0o700).map_err(general)?;
        }
        if let Some(pid_max) = &self.pid_max {
            sys::write_file(c"/proc/sys/kernel/pid_max", pid_max).map_err(general)?;
        }
        // Only now: it was writable for the line above. Without powers, root's own files under
        // /proc/sys would still be root's.
        sys::make_read_only(c"/proc").map_err(general)?;
        sys::umount_lazily(OLD_INSIDE).map_err(general)?;
        sys::rmdir(OLD_INSIDE).map_err(general)?;
        sys::make_read_only(c"/").map_err(general)
    }
}

impl Bind {
    /// While the old root is there: a detached, restricted copy of what is to be seen.
    fn take(&mut self) -> Result<()> {
        let place = sys::open_exactly(&self.source)?;
        let tree = sys::open_tree(place);
        sys::close(place);
        self.tree = tree?;
        sys::restrict_tree(self.tree, self.attributes)
    }
}

impl Layered {
    /// While the old root is there: an overlay that is nowhere yet.
    fn take(&mut self) -> Result<()> {
        let overlay = sys::open_filesystem(c"overlay")?;
        let made = self.settings(overlay);
        let made = made
            .and_then(|()| sys::mount_of(overlay, sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV));
        sys::close(overlay);
        self.tree = made?;
        Ok(())
    }

    fn settings(&self, overlay: RawFd) -> Result<()> {
        sys::set_text(overlay, c"lowerdir", &self.lower)?;
        sys::set_text(overlay, c"upperdir", &self.upper)?;
        sys::set_text(overlay, c"workdir", &self.work)?;
        // Without it only the machine's own root may have overlays.
        sys::set_flag(overlay, c"userxattr")?;
        // Nobody needs the changes after a power failure. A kernel that does not know it syncs more.
        let _ = sys::set_flag(overlay, c"volatile");
        sys::create_filesystem(overlay)
    }
}

/// A layer, spelt as overlays want it: a colon would part two layers, and a backslash is no letter.
fn c_layer(path: &Path) -> CString {
    let mut spelt = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b':' | b'\\') {
            spelt.push(b'\\');
        }
        spelt.push(*byte);
    }
    CString::new(spelt).unwrap_or_default()
}

fn perform(op: &Op) -> Result<()> {
    match op {
        // What is there already is there through a parent; if not, the mount on it fails.
        Op::Folder(at) => {
            let _ = sys::mkdir(at, 0o755);
            Ok(())
        }
        Op::File(at) => {
            if let Ok(file) =
                sys::open(at, libc::O_CREAT | libc::O_RDONLY | libc::O_NOFOLLOW, 0o644)
            {
                sys::close(file);
            }
            Ok(())
        }
        Op::Link { to, at } => match sys::symlink(to, at) {
            // A root of the policy lies over its parent and has it.
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => Ok(()),
            made => made,
        },
        Op::Scratch { at, options } => {
            sys::mount(c"tmpfs", at, libc::MS_NOSUID | libc::MS_NODEV, options)
        }
        Op::Empty(at) => {
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_RDONLY;
            sys::mount(c"tmpfs", at, flags, c"mode=555,size=4k")
        }
        Op::Terminals => {
            let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
            let options = c"newinstance,ptmxmode=0666,mode=0620";
            sys::mount(c"devpts", c"/dev/pts", flags, options)
        }
        Op::Processes => {
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            // Only what it could trace anyway: not the first process, which is a copy of us.
            sys::mount(c"proc", c"/proc", flags, c"hidepid=ptraceable")
        }
        Op::Bind(Bind { tree, at, .. }) | Op::Layered(Layered { tree, at, .. }) => {
            let moved = sys::move_mount(*tree, at);
            sys::close(*tree);
            moved
        }
    }
}
