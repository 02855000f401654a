//! The routes.

use std::convert;
use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;
use visibility_core::error::{ErrorCode, Problem};

use crate::api::descriptions;
use crate::api::openapi::Descriptions;
use crate::api::readiness::Readiness;
use crate::api::routes;
use crate::fetch::FetchClientError;
use crate::http::response::ApiError;
use crate::mcp::{self, McpService};
use crate::oauth;
use crate::runtime::clock;
use crate::service::middleware::{self, ListenerState};
use crate::site::{self, Site};
use crate::state::AppState;

/// All routes of a service, and the state that single endpoints keep for themselves.
#[derive(Clone)]
pub struct Endpoints {
    state: AppState,
    mcp: Arc<McpService>,
    site: Arc<Site>,
    client_documents: oauth::Documents,
    descriptions: Arc<Descriptions>,
    readiness: Readiness,
}

impl Endpoints {
    /// The endpoints of a service with this state.
    ///
    /// # Errors
    ///
    /// When sites cannot be fetched as the settings want it.
    pub fn new(state: AppState) -> Result<Self, FetchClientError> {
        let mcp = McpService::new(&state.shared().settings, convert::identity);
        Self::with_mcp(state, mcp)
    }

    /// The same, with an MCP server that an application wraps in its own.
    pub(crate) fn with_mcp(state: AppState, mcp: McpService) -> Result<Self, FetchClientError> {
        let settings = &state.shared().settings;
        Ok(Self {
            mcp: Arc::new(mcp),
            site: Arc::new(Site::new(settings, clock::now())),
            client_documents: oauth::documents(settings)?,
            descriptions: Arc::new(descriptions::describe(settings)),
            readiness: Readiness::new(&state),
            state,
        })
    }

    /// The routes of a listener that serves everything.
    pub fn router(&self) -> Router {
        let endpoints = routes::health(&self.readiness)
            .merge(self.public_routes())
            .merge(routes::ingestion(&self.descriptions));
        self.finish(endpoints, Arc::clone(&self.site))
    }

    /// The routes of the public listener, if ingestion has one of its own.
    pub fn public_router(&self) -> Router {
        self.finish(
            routes::health(&self.readiness).merge(self.public_routes()),
            Arc::clone(&self.site),
        )
    }

    /// The routes of a listener for ingestion alone.
    pub fn ingestion_router(&self) -> Router {
        self.finish(
            routes::health(&self.readiness).merge(routes::ingestion(&self.descriptions)),
            Arc::default(),
        )
    }

    fn public_routes(&self) -> Router<AppState> {
        routes::public(&self.descriptions, &self.readiness)
            .merge(mcp::routes(&self.mcp))
            .merge(oauth::routes(&self.state, self.client_documents.clone()))
            .merge(site::routes(&self.site))
            .merge(site::account_routes(&self.state.shared().settings))
    }

    /// Adds what all listeners have.
    ///
    /// The middleware is around the routes as a whole: they write `Allow` only when all of their own layers
    /// are done.
    fn finish(&self, routes: Router<AppState>, site: Arc<Site>) -> Router {
        let has_pages = site.has("/");
        let routes = routes
            .fallback(not_found)
            .method_not_allowed_fallback(method_not_allowed)
            .layer(CatchPanicLayer::custom(middleware::panic_response))
            .layer(from_fn_with_state(site, middleware::note_route))
            .with_state(self.state.clone());
        let listener = ListenerState { state: self.state.clone(), has_pages };
        let wrap = from_fn_with_state(listener, middleware::wrap);
        Router::new().fallback_service(routes).layer(wrap)
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Endpoints").finish_non_exhaustive()
    }
}

pub(crate) async fn not_found() -> ApiError {
    Problem::new(ErrorCode::NotFound, "unknown-route").into()
}

/// The middleware says which methods there are.
async fn method_not_allowed() -> ApiError {
    Problem::new(ErrorCode::MethodNotAllowed, "method").into()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Path;
    use axum::http::{Request, StatusCode};
    use axum::routing::get;
    use http_body_util::BodyExt;
    use serde_json::Value;
    use tower::ServiceExt;

    use super::*;

    async fn ask(path: &str) -> (StatusCode, Value) {
        let routes = Router::new()
            .route("/panic", get(|| async { panic!("secret") as &str }))
            .route(
                "/number/{number}",
                get(|Path(number): Path<u8>| async move { number.to_string() }),
            )
            .route("/bare", get(|| async { StatusCode::UNPROCESSABLE_ENTITY }))
            .route("/bare/fault", get(|| async { StatusCode::BAD_GATEWAY }));
        let folder = tempfile::tempdir().unwrap();
        let endpoints = Endpoints::new(AppState::for_tests(folder.path())).unwrap();
        let router = endpoints.finish(routes, Arc::default());
        let request = Request::get(path).header("host", "a").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let status = response.status();
        assert_eq!(response.headers()["content-type"], "application/json");
        assert!(response.headers().contains_key("x-request-id"));
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    #[tokio::test]
    async fn what_fails_without_words_of_ours_is_an_error_object() {
        for (path, status, code) in [
            ("/panic", 500, "INTERNAL_ERROR"),
            ("/number/x", 400, "INVALID_REQUEST"),
            ("/number/%ff", 400, "INVALID_REQUEST"),
            ("/bare", 400, "INVALID_REQUEST"),
            ("/bare/fault", 500, "INTERNAL_ERROR"),
        ] {
            for lang in ["", "?lang=tr"] {
                let (found, body) = ask(&format!("{path}{lang}")).await;
                assert_eq!(found, status, "{path}");
                assert_eq!(body["error"]["code"], code, "{path}");
                assert!(body["error"]["hint"].is_string(), "{body}");
                assert!(!body.to_string().contains("secret"), "{body}");
                let is_turkish = !body["error"]["message"].as_str().unwrap().is_ascii();
                assert_eq!(is_turkish, !lang.is_empty(), "{body}");
            }
        }
    }
}
