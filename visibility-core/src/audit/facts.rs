//! Facts: what is derived from a page, once, when a signal first asks for it.

pub(crate) mod author;
pub(crate) mod draft;
pub(crate) mod location;
pub mod main_entity;
pub(crate) mod properties;
pub(crate) mod stated;
pub(crate) mod subject;
pub(crate) mod text_language;
pub(crate) mod visible;
