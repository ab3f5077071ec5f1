//! The statuses of a task and which may follow which, as one table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a task stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskStatus {
    /// It waits for its turn.
    Pending,
    /// The engineering loop has it.
    InProgress,
    /// Its modules are shipped. Terminal.
    Shipped,
    /// A person must resolve its escalation.
    Halted,
    /// It waits, and something that it depends on is halted or abandoned.
    Blocked,
    /// A person closed it. Terminal.
    Abandoned,
}

use TaskStatus::{Abandoned, Blocked, Halted, InProgress, Pending, Shipped};

/// Every legal transition of sections 4.2 and 17.2. Resolutions of a blocked task are those of
/// section 17.2 that its last paragraph asks for.
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
    /// All of them, in the order of their letters.
    pub const ALL: [TaskStatus; 6] = [Pending, InProgress, Shipped, Halted, Blocked, Abandoned];

    /// The document's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Pending => "PENDING",
            InProgress => "IN_PROGRESS",
            Shipped => "SHIPPED",
            Halted => "HALTED",
            Blocked => "BLOCKED",
            Abandoned => "ABANDONED",
        }
    }

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
        Self::ALL
            .into_iter()
            .find(|status| status.letter() == letter)
    }

    /// Nothing follows any more?
    pub fn is_terminal(self) -> bool {
        matches!(self, Shipped | Abandoned)
    }
}
