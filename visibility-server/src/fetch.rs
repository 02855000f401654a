//! Requests to other sites: the HTTP clients, their resolver, hosts that are excluded, and the threads
//! where scans and audits run.

mod client;
pub(crate) mod excluded;
mod resolver;
mod sites;
pub(crate) mod threads;

pub use self::client::FetchClientError;
pub(crate) use self::client::{document_client, trusted_client, user_agent};
pub use self::resolver::ResolverError;
pub(crate) use self::sites::Sites;
pub(crate) use self::threads::FetchThreads;
