//! Visits of strangers' sites, which scans and audits share: who fetches, where that runs, and how those
//! who ask for the same thing at the same time share one visit.

mod client;
pub(crate) mod excluded;
pub(crate) mod lanes;
mod resolver;
pub(crate) mod threads;

pub use self::client::ClientError;
pub(crate) use self::client::{client, trusting_client, user_agent};
pub use self::resolver::ResolverError;
pub(crate) use self::threads::Threads;
