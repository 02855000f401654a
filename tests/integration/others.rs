//! Tests beside programs of others: the engines and servers of the steps `engines` and `servers`.

mod files;
mod servers;
