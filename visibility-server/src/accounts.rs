//! People who sign in: their passwords, their sessions, and how often they may try.

pub mod password;
