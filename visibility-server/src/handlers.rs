//! What each route does.

pub(crate) mod agent_readiness;
pub(crate) mod api_health;
pub(crate) mod audit;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod logs;
pub(crate) mod stats;
