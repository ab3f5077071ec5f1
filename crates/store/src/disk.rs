//! The three file operations whose failure an append must survive, behind a trait, so that tests
//! can fail them half-way. It does not grow into a file system of its own.

use std::fs::File;
use std::io::{self, Write};

/// How an append reaches the disk. The defaults are the real thing.
pub trait Disk: Send {
    /// Writes all the bytes at the file's end.
    fn write(&mut self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Returns when the file's data and length are on the disk.
    fn sync(&mut self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Cuts the file to this length.
    fn truncate(&mut self, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }
}

/// The operating system's files.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {}
