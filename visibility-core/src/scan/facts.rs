//! Facts: what is derived from a snapshot, once, when a check first asks for it.

pub mod access;
pub(in crate::scan) mod alternate;
pub(in crate::scan) mod draft;
pub(in crate::scan) mod error_document;
pub(in crate::scan) mod llms_txt;
pub(in crate::scan) mod markdown_draft;
pub(in crate::scan) mod platform;
pub mod profile;
pub(in crate::scan) mod published;
