//! The roles of a workflow file: what each may do, see and change.

use super::{Loader, schema};
use crate::raw::{RawTier, RawWorkflow};
use crate::workflow::Role;
use kernel::effect::Sight;
use kernel::pattern::field_in;
use std::collections::BTreeMap;

pub(super) fn roles(loader: &mut Loader<'_>, raw: &RawWorkflow) -> BTreeMap<String, Role> {
    let mut roles = BTreeMap::new();
    for (name, spanned) in &raw.role {
        let (at, role) = (spanned.span().start, spanned.get_ref());
        let all = Sight::default();
        let sight = Sight {
            sees: role.sees.clone().unwrap_or(all.sees),
            hidden: role.hidden.clone(),
            scope: role.scope.clone().unwrap_or(all.scope),
            within: Vec::new(),
        };
        let fields = raw.task.iter().flat_map(|task| &task.field);
        let names: Vec<&str> = fields.map(|field| field.get_ref().name.as_str()).collect();
        for glob in sight.sees.iter().chain(&sight.hidden).chain(&sight.scope) {
            if let Err(error) = globset::Glob::new(glob) {
                let what = format!("role `{name}`: `{glob}` is no glob: {}", error.kind());
                loader.problem(
                    "bad_glob",
                    at,
                    what,
                    "write a glob such as `src/**` or `*.md`",
                );
            }
            if let Some((_, field, _)) = field_in(glob)
                && !names.contains(&field)
            {
                let what = format!("role `{name}` names the field `{field}`, which is none");
                loader.problem(
                    "unknown_field",
                    at,
                    what,
                    "name one of the [[task.field]] entries",
                );
            }
        }
        if let Some(item) = role.reads.iter().find(|item| !item.starts_with("task/")) {
            let what =
                format!("role `{name}` reads `{item}`, which is none of the task's documents");
            let mend = "write `task/FILE` or `task/FILE#HEADING`; `sees` is for the repository";
            loader.problem("path_outside", at, what, mend);
        }
        let tier = match role.tier {
            RawTier::Fast => "fast",
            RawTier::Standard => "standard",
            RawTier::Top => "top",
        };
        let (can, about) = (role.can.clone(), role.about.clone());
        if role.hands_in.is_some() && role.result.is_some() {
            let what = format!("role `{name}` has `hands_in` and `result`");
            let mend = "take `result` out: what is handed in has a schema of its own";
            loader.problem("bad_schema", at, what, mend);
        }
        let of_paper = role.hands_in.map(|paper| paper.schema());
        let result = role
            .result
            .as_ref()
            .and_then(|file| schema::schema(loader, file.span().start, name, file.get_ref()));
        roles.insert(
            name.clone(),
            Role {
                can,
                about,
                tier,
                sight,
                result: of_paper.or(result),
                reads: role.reads.clone(),
                hands_in: role.hands_in,
                tools: role.tools.clone(),
            },
        );
    }
    roles
}
