//! The embedded stores: one SQLite database for what is true, one folder of immutable objects.

pub mod sqlite;
