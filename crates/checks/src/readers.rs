//! What checks read with: paths, globs, seals, sources, and the documents below them. None of it judges.

pub(crate) mod drawing;
pub(crate) mod found;
pub(crate) mod globs;
pub(crate) mod hash;
pub(crate) mod installed;
pub(crate) mod items;
pub(crate) mod paths;
pub(crate) mod references;
pub(crate) mod report_files;
pub(crate) mod seal;
pub(crate) mod sections;
pub(crate) mod sources;
pub(crate) mod substance;
