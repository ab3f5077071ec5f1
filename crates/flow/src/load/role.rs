//! The roles of a workflow file: what each may do, see and change.

use super::{Loader, schema};
use crate::raw::{RawTier, RawWorkflow};
use crate::workflow::Role;
use kernel::effect::Sight;
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
        };
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
        }
        let fields = raw.task.iter().flat_map(|task| &task.field);
        let names: Vec<&str> = fields.map(|field| field.get_ref().name.as_str()).collect();
        for field in role.sees_field.iter().chain(&role.scope_field) {
            if !names.contains(&field.as_str()) {
                let what = format!("role `{name}` names the field `{field}`, which is none");
                loader.problem(
                    "unknown_field",
                    at,
                    what,
                    "name one of the [[task.field]] entries",
                );
            }
        }
        let tier = match role.tier {
            RawTier::Fast => "fast",
            RawTier::Standard => "standard",
            RawTier::Top => "top",
        };
        let (can, about) = (role.can.clone(), role.about.clone());
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
                result,
                tools: role.tools.clone(),
                sees_field: role.sees_field.clone(),
                scope_field: role.scope_field.clone(),
            },
        );
    }
    roles
}
