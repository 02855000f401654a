//! A ready [`Fetch`](crate::fetch::Fetch) on reqwest and rustls: feature `http`.

pub mod address;
