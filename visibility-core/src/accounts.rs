//! Accounts: tenants, users, API keys, tokens, scopes and rate-limit windows.

pub mod api_key;
pub mod scope;
pub mod sliding_window;
pub mod tenant;
pub mod token;
pub mod user;
