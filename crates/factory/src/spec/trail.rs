//! Where in a document something stands, as the walk got there.

/// One step of the way down: a member, and where in its list.
pub(super) type Step = (&'static str, Option<u32>);

pub(super) fn path_of(trail: &[Step]) -> String {
    let mut path = String::from("$");
    for (name, index) in trail {
        path.push('.');
        path.push_str(name);
        if let Some(index) = index {
            path.push_str(&format!("[{index}]"));
        }
    }
    path
}
