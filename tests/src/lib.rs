//! What the tests share.

pub mod tls;
