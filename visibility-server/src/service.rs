//! The whole service: routes, middleware, listeners.

pub mod listener;
pub(crate) mod metrics_endpoint;
pub(crate) mod middleware;
pub(crate) mod paths;
pub mod router;
