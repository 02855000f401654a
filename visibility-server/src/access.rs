//! Who may do what: keys, tokens, accounts of people, and limits.

pub mod accounts;
pub(crate) mod audience;
pub(crate) mod auth;
pub(crate) mod challenge;
pub(crate) mod limiter;
