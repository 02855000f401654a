//! Who uses the service: tenants, users, API keys, tokens, scopes, and how often they may ask.

pub mod api_key;
pub mod scope;
pub mod sliding_window;
pub mod tenant;
pub mod token;
pub mod user;
