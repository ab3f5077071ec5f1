//! Which number of the version must rise between two contracts (rule F7). In doubt it is the
//! larger one: nobody is harmed by a major version too many.

use crate::dimensions::SurfaceRef;
use kernel::module::{Bump, Version};

/// The smallest bump that is honest.
pub fn required_bump(old: SurfaceRef<'_>, new: SurfaceRef<'_>) -> Bump {
    let inputs = change(old.inputs, new.inputs, |input| &input.name);
    // Callers that do not know of a new input go on as before only if it may be left out.
    let required_inputs = new
        .inputs
        .iter()
        .any(|input| !input.is_optional() && old.inputs.iter().all(|o| o.name != input.name));
    let outputs = change(old.outputs, new.outputs, |output| &output.name);
    let mut errors = change(old.error_surfaces, new.error_surfaces, |error| &error.name);
    if errors == Change::Reordered {
        // Callers tell errors apart by name, never by place.
        errors = Change::Added;
    }
    let effects = if old.effects == new.effects {
        Bump::Patch
    } else {
        Bump::Major
    };
    let waits = |surface: SurfaceRef<'_>| (surface.modes.sync, surface.modes.async_);
    let modes = if waits(old) != waits(new) {
        Bump::Major
    } else if old.modes != new.modes {
        Bump::Minor
    } else {
        Bump::Patch
    };
    let inputs = if required_inputs {
        Bump::Major
    } else {
        inputs.bump()
    };
    [inputs, outputs.bump(), errors.bump(), effects, modes]
        .into_iter()
        .max()
        .unwrap_or(Bump::Patch)
}

fn word(bump: Bump) -> &'static str {
    match bump {
        Bump::Patch => "patch",
        Bump::Minor => "minor",
        Bump::Major => "major",
    }
}

/// Why a version cannot follow another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadBump {
    #[error("{new} does not follow {old}: versions only rise")]
    Falls { old: Version, new: Version },
    #[error(
        "from {old} to {new} the {} number rises, and the change of the contract is a {} one",
        word(*risen),
        word(*required)
    )]
    Wrong {
        old: Version,
        new: Version,
        risen: Bump,
        required: Bump,
    },
}

/// Does a new version say what the change needs? A larger number than needed may be a person's
/// word; but with the same contract only the last number rises, and it never falls.
pub fn judge_bump(old: Version, new: Version, required: Bump) -> Result<Bump, BadBump> {
    let risen = if new <= old {
        return Err(BadBump::Falls { old, new });
    } else if new.major > old.major {
        Bump::Major
    } else if new.minor > old.minor {
        Bump::Minor
    } else {
        Bump::Patch
    };
    let honest = match required {
        Bump::Patch => risen == Bump::Patch,
        Bump::Minor | Bump::Major => risen >= required,
    };
    if honest {
        return Ok(risen);
    }
    Err(BadBump::Wrong {
        old,
        new,
        risen,
        required,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    /// Everything that was there is there unchanged, in order, and something is new.
    Added,
    Reordered,
    /// Something was removed or altered.
    Broken,
}

impl Change {
    fn bump(self) -> Bump {
        match self {
            Change::Same => Bump::Patch,
            Change::Added => Bump::Minor,
            Change::Reordered | Change::Broken => Bump::Major,
        }
    }
}

fn change<T: PartialEq>(old: &[T], new: &[T], name: fn(&T) -> &String) -> Change {
    if old == new {
        return Change::Same;
    }
    if old.iter().any(|item| !new.contains(item)) {
        return Change::Broken;
    }
    let kept: Vec<&T> = new
        .iter()
        .filter(|item| old.iter().any(|o| name(o) == name(item)))
        .collect();
    let in_order = kept.len() == old.len() && kept.iter().zip(old).all(|(a, b)| *a == b);
    if !in_order {
        return Change::Reordered;
    }
    Change::Added
}
