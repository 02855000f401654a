//! The whole service: routes, middleware, listeners.

pub mod listener;
pub mod metrics_endpoint;
pub(crate) mod middleware;
pub mod router;
