//! What a project promised to come to: the product of its spec, with what the machine needs to find
//! its front among the shipped modules.

use crate::plan::Plan;
use crate::project::types::TaskId;
use crate::spec::{Product, ProductForm, ProductSpec};
use serde::{Deserialize, Serialize};

/// The product of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promised {
    /// As the spec has it.
    pub product: Product,
    /// The task of its entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<TaskId>,
    /// The spec's title.
    pub title: String,
    /// What it is, from far above.
    pub about: String,
}

impl Promised {
    /// Of a spec whose tasks were planned; none: it says nothing of a product.
    pub fn of(spec: &ProductSpec, plan: &Plan) -> Option<Self> {
        let product = spec.product.clone()?;
        let entry = product.entry.as_ref().and_then(|entry| {
            let at = spec.tasks().position(|(.., task)| task.task_id == *entry)?;
            Some(TaskId::new(&plan.tasks.get(at)?.task_id))
        });
        Some(Self {
            product,
            entry,
            title: spec.title.clone(),
            about: spec.description.clone(),
        })
    }

    /// Is anything put together of the modules?
    pub fn is_built(&self) -> bool {
        self.product.form != ProductForm::None
    }
}
