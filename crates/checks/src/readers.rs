//! What checks read with: documents, tables, paths, globs, ids, sources. None of it judges.

pub(crate) mod choice;
pub(crate) mod dependencies;
pub(crate) mod design;
pub(crate) mod documents;
pub(crate) mod drawing;
pub(crate) mod globs;
pub(crate) mod hash;
pub(crate) mod idents;
pub(crate) mod installed;
pub(crate) mod items;
pub(crate) mod markdown;
pub(crate) mod paths;
pub(crate) mod references;
pub(crate) mod report_files;
pub(crate) mod seal;
pub(crate) mod sources;
pub(crate) mod substance;
pub(crate) mod table;
pub(crate) mod test_settings;
pub(crate) mod threshold;
