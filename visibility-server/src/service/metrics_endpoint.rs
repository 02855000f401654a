//! `GET /metrics`, on its own listener, because metrics are for the operator only.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::task::spawn_blocking;
use visibility_core::store::StoreError;
use visibility_core::text::locale::Lang;

use crate::http::response::{self, ApiError};
use crate::service::router::not_found;
use crate::stores::Stores;
use crate::stores::state::outbox::Consumer;
use crate::telemetry::metrics::{Metrics, OPENMETRICS};

#[derive(Clone, Debug)]
struct Measured {
    metrics: Arc<Metrics>,
    stores: Arc<Stores>,
}

/// The routes of the listener for metrics.
pub(crate) fn router(metrics: Arc<Metrics>, stores: Arc<Stores>) -> Router {
    Router::new()
        .route("/metrics", get(show))
        .fallback(not_found)
        .layer(map_response(|response| async { response::render(response, Lang::En) }))
        .with_state(Measured { metrics, stores })
}

async fn show(State(measured): State<Measured>) -> Response {
    let rendered = spawn_blocking(move || {
        if let Err(error) = measure(&measured) {
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot measure the stores");
        }
        measured.metrics.render()
    });
    match rendered.await {
        Ok(text) => ([(CONTENT_TYPE, OPENMETRICS)], text).into_response(),
        Err(_panicked) => ApiError::internal().into_response(),
    }
}

fn measure(measured: &Measured) -> Result<(), StoreError> {
    let state_store = measured.stores.state_store();
    measured.metrics.stored(state_store.bytes()?, state_store.live_file_count()?);
    for consumer in Consumer::ALL {
        let waiting = state_store.waiting_events(consumer)?;
        measured.metrics.file_events_waiting(consumer.name(), waiting);
    }
    Ok(())
}
