//! The tables, and the triggers that keep them append-only for everybody who writes SQL, not only
//! for this crate.
//!
//! Vectors and segments are derived from entries. Those of the present model are kept as well;
//! those of a former model may be removed, which is what `reindex` does.

/// `PRAGMA application_id`: "PHci".
pub(crate) const APPLICATION: i64 = 0x5048_6369;
/// `PRAGMA user_version`.
pub(crate) const FORMAT: i64 = 1;
/// Vectors and segments are numbered by model and entry: `model << MODEL_SHIFT | entry`.
pub(crate) const MODEL_SHIFT: u32 = 40;
/// Entries in one segment.
pub(crate) const SEGMENT: u32 = 1024;

/// `REPLACE` deletes without firing triggers, so a used key is refused before SQLite can resolve
/// the conflict.
pub(crate) const CREATE: &str = "
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  module_id TEXT NOT NULL,
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  patch INTEGER NOT NULL,
  body TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  UNIQUE (module_id, major, minor, patch)
) STRICT;
CREATE TRIGGER entry_once BEFORE INSERT ON entry
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM entry)
  OR EXISTS (SELECT 1 FROM entry WHERE module_id = NEW.module_id AND major = NEW.major
             AND minor = NEW.minor AND patch = NEW.patch)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: the key was used'); END;
CREATE TRIGGER entry_kept BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: entries never change'); END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: entries are never deleted'); END;

CREATE TABLE dependency (
  module_id TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry (id),
  range TEXT NOT NULL,
  PRIMARY KEY (module_id, entry, range)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER dependency_once BEFORE INSERT ON dependency
WHEN EXISTS (SELECT 1 FROM dependency WHERE module_id = NEW.module_id
             AND entry = NEW.entry AND range = NEW.range)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: the key was used'); END;
CREATE TRIGGER dependency_kept BEFORE UPDATE ON dependency
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: entries never change'); END;
CREATE TRIGGER dependency_stays BEFORE DELETE ON dependency
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: entries are never deleted'); END;

CREATE TABLE change (
  id INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL UNIQUE REFERENCES entry (id),
  status TEXT NOT NULL CHECK (status IN ('DEPRECATED', 'SUPERSEDED')),
  superseded_by TEXT,
  note TEXT NOT NULL CHECK (note <> ''),
  at INTEGER NOT NULL,
  CHECK (status = 'DEPRECATED' OR superseded_by IS NOT NULL)
) STRICT;
CREATE TRIGGER change_once BEFORE INSERT ON change
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM change)
  OR EXISTS (SELECT 1 FROM change WHERE entry = NEW.entry)
  OR NOT EXISTS (SELECT 1 FROM entry WHERE id = NEW.entry)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: a status changes once'); END;
CREATE TRIGGER change_kept BEFORE UPDATE ON change
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: a status never goes back'); END;
CREATE TRIGGER change_stays BEFORE DELETE ON change
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: a status never goes back'); END;

CREATE TABLE model (
  id INTEGER PRIMARY KEY,
  spec TEXT NOT NULL,
  identity TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions BETWEEN 256 AND 1536),
  since INTEGER NOT NULL
) STRICT;
CREATE TRIGGER model_once BEFORE INSERT ON model
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM model)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: the key was used'); END;
CREATE TRIGGER model_kept BEFORE UPDATE ON model
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: models are kept on record'); END;
CREATE TRIGGER model_stays BEFORE DELETE ON model
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: models are kept on record'); END;

CREATE TABLE embedding (key INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE TRIGGER embedding_once BEFORE INSERT ON embedding
WHEN EXISTS (SELECT 1 FROM embedding WHERE key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: the key was used'); END;
CREATE TRIGGER embedding_kept BEFORE UPDATE ON embedding
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: vectors never change'); END;
CREATE TRIGGER embedding_stays BEFORE DELETE ON embedding
WHEN OLD.key >> 40 = (SELECT max(id) FROM model)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: vectors in use are kept'); END;

CREATE TABLE segment (key INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TRIGGER segment_once BEFORE INSERT ON segment
WHEN EXISTS (SELECT 1 FROM segment WHERE key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: the key was used'); END;
CREATE TRIGGER segment_kept BEFORE UPDATE ON segment
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: segments never change'); END;
CREATE TRIGGER segment_stays BEFORE DELETE ON segment
WHEN OLD.key >> 40 = (SELECT max(id) FROM model)
BEGIN SELECT RAISE(ABORT, 'the Code Index is append-only: segments in use are kept'); END;
";
