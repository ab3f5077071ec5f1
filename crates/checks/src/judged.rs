//! What most checks do with their settings and their verdict, once. It refuses to let a check pass
//! without a reason.

use crate::settings::Settings;
use crate::text::answer;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use kernel::outcome::{CheckResult, Verdict};

/// Why a check does not pass.
pub(crate) enum Trouble {
    /// The engine saw it not hold.
    Fails(String),
    /// It could not be tried.
    CouldNotRun(String),
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Trouble::Fails(reason)
    }
}

/// A reason to pass, or a trouble.
pub(crate) type Judged = Result<String, Trouble>;

/// One answer from settings and a judgement of them.
pub(crate) fn judged<T>(
    name: &str,
    settings: Result<T, String>,
    judge: impl FnOnce(T) -> Judged,
) -> Vec<CheckResult> {
    let judged = settings.map_err(Trouble::CouldNotRun).and_then(judge);
    let (verdict, reason) = match judged {
        Ok(reason) => (Verdict::Pass, reason),
        Err(Trouble::Fails(reason)) => (Verdict::Fail, reason),
        Err(Trouble::CouldNotRun(reason)) => (Verdict::CouldNotRun, reason),
    };
    vec![answer(name, verdict, &reason)]
}

/// A list of globs under a key; `*` stays within a folder and `**` does not.
pub(crate) fn globs(settings: &Settings<'_>, key: &str) -> Result<GlobSet, String> {
    let mut builder = GlobSetBuilder::new();
    for text in settings.list(key)?.unwrap_or_default() {
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        builder.add(glob.map_err(|error| format!("the setting `{key}`: {error}"))?);
    }
    builder
        .build()
        .map_err(|error| format!("the setting `{key}`: {error}"))
}
