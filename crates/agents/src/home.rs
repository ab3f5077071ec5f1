//! The attempt's own folder: where the brief lies and where the result is left and found.
//!
//! Shared by all connectors, so that leaving and recovering a result is written once. The result
//! file is written by a program that we do not trust: no link is followed there (it could point at a
//! secret), no pipe is waited on, and nothing is read past the size cap.

use crate::agent::{Order, Reply};
use crate::result::{self, Judged, RESULT_BYTES, Shape};
use kernel::outcome::Class;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const RECOVERED: &[u8] = b"recovered from the result file; the transcript was lost in a restart\n";

/// The folder of one attempt, and the shape of the result that is left there.
#[derive(Debug)]
pub(crate) struct Home<'a> {
    folder: &'a Path,
    pub(crate) shape: &'a Shape,
}

impl<'a> Home<'a> {
    pub(crate) fn of(order: &'a Order) -> Self {
        Self {
            folder: &order.home,
            shape: &order.shape,
        }
    }

    /// The folder of an attempt whose order is not at hand.
    pub(crate) fn at(folder: &'a Path, shape: &'a Shape) -> Self {
        Self { folder, shape }
    }

    pub(crate) fn brief(&self) -> PathBuf {
        self.folder.join("brief.md")
    }

    pub(crate) fn result(&self) -> PathBuf {
        self.folder.join("out").join("result.json")
    }

    pub(crate) fn pid(&self) -> PathBuf {
        self.folder.join("pid")
    }

    /// Makes the folder ready: the brief is there, and no result is.
    pub(crate) fn prepare(&self, brief: &str) -> io::Result<()> {
        fs::create_dir_all(self.folder.join("out"))?;
        fs::write(self.brief(), brief)?;
        self.set_aside()
    }

    /// Takes a result out of the way of `recover`, without destroying it.
    pub(crate) fn set_aside(&self) -> io::Result<()> {
        let aside = self.folder.join("out").join("result.set-aside.json");
        match fs::rename(self.result(), aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Leaves a result as the contract asks: whole, on disk, then in place by a rename.
    pub(crate) fn leave(&self, bytes: &[u8]) -> io::Result<()> {
        let out = self.folder.join("out");
        let temporary = out.join("result.json.tmp");
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, self.result())?;
        // The rename itself must survive a power cut, or a finished attempt is paid for twice.
        File::open(out)?.sync_all()
    }

    /// What lies at the result's place; none if nothing does.
    pub(crate) fn read(&self) -> Option<Judged> {
        match read_untrusted(&self.result()) {
            Ok(bytes) => Some(result::judge_bytes(&bytes, self.shape)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Judged::refused(
                "",
                format!("cannot be read ({error}); leave a plain file at $PROOFHOUSE_RESULT"),
            )),
        }
    }

    /// The reply of an attempt that ended by itself and without failure.
    pub(crate) fn reply(&self) -> Reply {
        let Some(judged) = self.read() else {
            return Reply::bare(Class::Crashed, "it left no result");
        };
        let usage = judged.usage;
        let reply = match judged.result {
            Ok(value) => Reply {
                result: Some(value),
                ..Reply::bare(Class::Done, "it left a valid result")
            },
            Err(fault) => Reply::bare(Class::InvalidResult, fault.to_string()),
        };
        Reply { usage, ..reply }
    }

    /// The reply of an attempt that had ended before we died. Only a valid result proves that:
    /// an invalid one may be half of a file that was being written.
    pub(crate) fn recover(&self) -> Option<Reply> {
        let reply = self.reply();
        (reply.class == Class::Done).then(|| Reply {
            transcript: RECOVERED.to_vec(),
            ..reply
        })
    }
}

fn read_untrusted(path: &Path) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a plain file"));
    }
    let mut bytes = Vec::new();
    // One byte over the cap is enough for the judge to refuse it.
    file.take(RESULT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &[u8] = br#"{"summary":"s"}"#;

    #[test]
    fn a_link_at_the_results_place_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let shape = Shape::default();
        let home = Home {
            folder: dir.path(),
            shape: &shape,
        };
        home.prepare("b").unwrap();
        let secret = dir.path().join("secret");
        fs::write(&secret, VALID).unwrap();
        std::os::unix::fs::symlink(&secret, home.result()).unwrap();
        let reply = home.reply();
        assert_eq!(reply.class, Class::InvalidResult);
        assert!(reply.reason.contains("cannot be read"), "{}", reply.reason);
        assert_eq!(home.recover(), None);
    }

    #[test]
    fn half_a_file_is_not_recovered_and_a_stale_one_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let shape = Shape::default();
        let home = Home {
            folder: dir.path(),
            shape: &shape,
        };
        assert_eq!(home.recover(), None);
        home.prepare("b").unwrap();
        home.leave(&VALID[..5]).unwrap();
        assert_eq!(home.recover(), None);
        home.leave(VALID).unwrap();
        assert_eq!(home.recover().unwrap().class, Class::Done);
        home.prepare("b").unwrap();
        assert_eq!(home.recover(), None);
        assert_eq!(
            fs::read(dir.path().join("out/result.set-aside.json")).unwrap(),
            VALID
        );
    }
}
