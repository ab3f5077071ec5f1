//! The schema of rule F3.2.2 as a table: which members each level has, and which completeness
//! rule a lack of each breaks. The walk over a document knows nothing that is not in here.

use crate::ids;
use kernel::form::Id;

/// One level of the hierarchy.
pub(super) struct Shape {
    pub(super) noun: &'static str,
    pub(super) fields: &'static [Field],
}

pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) content: Content,
}

/// What a member holds. All members are required but `References`.
pub(super) enum Content {
    Id(Id),
    Version,
    Moment,
    Text,
    /// Text of at least 20 characters (rule 11).
    Description,
    /// Texts, at least so many, else this rule is broken.
    Texts {
        least: usize,
        rule: u8,
        read: Read,
    },
    /// Objects, at least one, else this rule is broken.
    Children {
        shape: &'static Shape,
        rule: u8,
    },
    /// Ids of other tasks.
    References,
    /// The one object of the five dimensions (rule 6).
    Sketch(&'static Shape),
    Dimension,
    /// The dimension that must name a specific error (rule 14).
    Errors,
}

/// How a list of texts is judged beyond its length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    AsTheyAre,
    /// Distinct (rule 13).
    Subtasks,
    /// Testable (rule 12).
    Criteria,
}

const fn field(name: &'static str, content: Content) -> Field {
    Field { name, content }
}

pub(super) static SPEC: Shape = Shape {
    noun: "spec",
    fields: &[
        field("spec_id", Content::Id(ids::SPEC)),
        field("spec_version", Content::Version),
        field("title", Content::Text),
        field("description", Content::Description),
        field("created_at", Content::Moment),
        field("updated_at", Content::Moment),
        field(
            "pillars",
            Content::Children {
                shape: &PILLAR,
                rule: 10,
            },
        ),
    ],
};

static PILLAR: Shape = Shape {
    noun: "pillar",
    fields: &[
        field("pillar_id", Content::Id(ids::PILLAR)),
        field("name", Content::Text),
        field("description", Content::Description),
        field("rationale", Content::Text),
        field(
            "epics",
            Content::Children {
                shape: &EPIC,
                rule: 1,
            },
        ),
    ],
};

static EPIC: Shape = Shape {
    noun: "epic",
    fields: &[
        field("epic_id", Content::Id(ids::EPIC)),
        field("name", Content::Text),
        field("description", Content::Description),
        field(
            "success_criteria",
            Content::Texts {
                least: 1,
                rule: 2,
                read: Read::AsTheyAre,
            },
        ),
        field(
            "stories",
            Content::Children {
                shape: &STORY,
                rule: 2,
            },
        ),
    ],
};

static STORY: Shape = Shape {
    noun: "story",
    fields: &[
        field("story_id", Content::Id(ids::STORY)),
        field("name", Content::Text),
        field("description", Content::Description),
        field("user_facing_behavior", Content::Text),
        field(
            "tasks",
            Content::Children {
                shape: &TASK,
                rule: 3,
            },
        ),
    ],
};

pub(super) static TASK: Shape = Shape {
    noun: "task",
    fields: &[
        field("task_id", Content::Id(ids::SPEC_TASK)),
        field("name", Content::Text),
        field("description", Content::Description),
        field(
            "subtasks",
            Content::Texts {
                least: 2,
                rule: 4,
                read: Read::Subtasks,
            },
        ),
        field(
            "acceptance_criteria",
            Content::Texts {
                least: 2,
                rule: 5,
                read: Read::Criteria,
            },
        ),
        field("depends_on", Content::References),
        field("io_contract_sketch", Content::Sketch(&SKETCH)),
    ],
};

static SKETCH: Shape = Shape {
    noun: "I/O contract sketch",
    fields: &[
        field("inputs", Content::Dimension),
        field("outputs", Content::Dimension),
        field("error_surfaces", Content::Errors),
        field("effects", Content::Dimension),
        field("modes", Content::Dimension),
    ],
};

impl Content {
    /// The rule that a member breaks by being absent, besides rule 10.
    pub(super) fn own_rule(&self) -> Option<u8> {
        match self {
            Content::Texts { rule, .. } | Content::Children { rule, .. } => {
                (*rule != 10).then_some(*rule)
            }
            Content::Sketch(_) | Content::Dimension | Content::Errors => Some(6),
            Content::Id(_)
            | Content::Version
            | Content::Moment
            | Content::Text
            | Content::Description
            | Content::References => None,
        }
    }

    /// What should stand there.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Content::Texts { .. } | Content::References => "a list of strings",
            Content::Children { .. } => "a list of objects",
            Content::Sketch(_) => "an object",
            _ => "a string",
        }
    }
}
