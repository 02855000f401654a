//! Authentication, authorization and limits: API keys, tokens, user accounts and rate limits.

pub(crate) mod accounts;
pub(crate) mod audience;
pub(crate) mod auth;
pub(crate) mod challenge;
pub(crate) mod demo_link;
pub(crate) mod issue;
pub(crate) mod limiter;
pub(crate) mod network;
