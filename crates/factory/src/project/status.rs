//! The statuses of a task and which may follow which, as one table.

use kernel::words;

words! {
    /// Where a task stands.
    pub enum TaskStatus {
        /// It waits for its turn.
        Pending = "PENDING",
        /// The engineering loop has it.
        InProgress = "IN_PROGRESS",
        /// Its modules are shipped. Terminal.
        Shipped = "SHIPPED",
        /// A person must resolve its escalation.
        Halted = "HALTED",
        /// It waits, and something that it depends on is halted or abandoned.
        Blocked = "BLOCKED",
        /// A person closed it. Terminal.
        Abandoned = "ABANDONED",
    }
}

use TaskStatus::{Abandoned, Blocked, Halted, InProgress, Pending, Shipped};

/// Every legal transition of rules F4.2 and F17.2. Resolutions of a blocked task are those of
/// rule F17.2 that its last paragraph asks for.
pub const TRANSITIONS: [(TaskStatus, TaskStatus); 10] = [
    (Pending, InProgress),
    (Pending, Blocked),
    (InProgress, Shipped),
    (InProgress, Halted),
    (Blocked, Pending),
    (Blocked, Abandoned),
    (Halted, Pending),
    (Halted, InProgress),
    (Halted, Shipped),
    (Halted, Abandoned),
];

impl TaskStatus {
    /// One letter, for snapshots of a hundred thousand tasks.
    pub fn letter(self) -> char {
        match self {
            Pending => 'p',
            InProgress => 'i',
            Shipped => 's',
            Halted => 'h',
            Blocked => 'b',
            Abandoned => 'a',
        }
    }

    /// The status of a letter.
    pub fn of_letter(letter: char) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|status| status.letter() == letter)
    }

    /// Nothing follows any more?
    pub fn is_terminal(self) -> bool {
        matches!(self, Shipped | Abandoned)
    }
}
