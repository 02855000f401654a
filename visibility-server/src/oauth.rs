//! OAuth: how clients learn where tokens come from.

pub(crate) mod challenge;
