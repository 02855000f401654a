//! One file for each route.

pub(crate) mod health;
pub(crate) mod logs;
pub(crate) mod stats;
