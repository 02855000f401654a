//! What all requests share.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::watch;

use crate::settings::Settings;

/// Settings, stores and limits, shared by all requests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: Settings,
    stop: watch::Receiver<bool>,
}

impl AppState {
    /// The state of a service that runs until `stop` is true.
    pub fn new(settings: Settings, stop: watch::Receiver<bool>) -> Self {
        Self(Arc::new(Shared { settings, stop }))
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Whether the service was told to stop.
    pub(crate) fn is_draining(&self) -> bool {
        *self.0.stop.borrow()
    }

    /// The time of arrival of whatever is handled now.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
