//! The repository as the run found it: nobody designs what was there and is as it was.

use crate::Subject;
use crate::error::Error;
use crate::readers::sources;
use crate::room::Room;
use kernel::effect::BEGUN;

/// The repository as it was; none where nobody knows that.
pub(crate) fn as_found(subject: &Subject<'_>) -> Result<Option<Room>, Error> {
    let begun = subject.known.get(BEGUN).and_then(|one| one.first());
    begun
        .map(|commit| Room::as_before(subject, commit))
        .transpose()
}

/// Is this file as it was found?
pub(crate) fn is_as_found(subject: &Subject<'_>, found: Option<&Room>, path: &str) -> bool {
    let before = found.and_then(|room| room.text(path));
    before.is_some_and(|before| {
        sources::text(subject, path).is_ok_and(|now| now.is_some_and(|now| now == before))
    })
}
