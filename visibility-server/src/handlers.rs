//! One file for each route.

pub(crate) mod health;
