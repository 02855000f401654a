//! Puts the data of the demonstration into a service: a user, scans of half a year, and logs of three months.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use futures_util::FutureExt as _;
use tower::ServiceExt as _;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::Token;
use visibility_core::accounts::user::{User, UserId, UserName};
use visibility_core::scan;
use visibility_core::scan::demo as sites;
use visibility_core::scan::recording::{Recording, Replay};
use visibility_core::scan::snapshot::SiteSnapshot;

use super::log;
use crate::access::demo_link::NAME;
use crate::access::issue;
use crate::runtime::{clock, random};
use crate::state::AppState;
use crate::stores::password_hash::{Password, PasswordHash};

/// Days of logs in one batch.
const DAYS_OF_BATCH: i64 = 15;
/// How long the token of the batches lasts.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::hours(1);

/// Why there is no data.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action}")]
pub(crate) struct FillError {
    action: &'static str,
    source: Box<dyn std::error::Error + Send + Sync>,
}

fn failed<E>(action: &'static str) -> impl FnOnce(E) -> FillError
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    move |source| FillError { action, source: source.into() }
}

/// Fills a service that has nothing yet.
///
/// # Errors
///
/// When the folder cannot be written, or the operating system gives no random numbers.
pub(crate) async fn fill(state: &AppState, router: Router) -> Result<(), FillError> {
    // How long the start takes must not be seen in the data.
    let end =
        clock::now().duration_trunc(TimeDelta::minutes(1)).map_err(failed("read the clock"))?;
    let token = state
        .blocking(|state| Ok(accounts(state)))
        .await
        .unwrap_or_else(|_| Err(failed("create the user")("a thread has ended")))?;
    scans(state, end).await?;
    logs(&router, &token, end).await
}

/// The tenant with its user; a token that sends logs.
fn accounts(state: &AppState) -> Result<Token, FillError> {
    let store = state.shared().stores.state_store();
    let now = clock::now();
    let tenant: TenantSlug = NAME.parse().map_err(failed("name the tenant"))?;
    let name: UserName = NAME.parse().map_err(failed("name the user"))?;
    store.create_tenant(&tenant, now).map_err(failed("create the tenant"))?;
    // No one knows it: the link signs in.
    let password = random::password().map_err(failed("get random numbers"))?;
    let password = Password::new(&password, &name).map_err(failed("choose a password"))?;
    let hash = PasswordHash::new(&password).map_err(failed("hash a password"))?;
    let user = User {
        id: UserId::from(Uuid::now_v7()),
        tenant: tenant.clone(),
        name,
        scopes: Scope::ALL.into(),
        disabled_at: None,
    };
    store.create_user(&user, &hash, now).map_err(failed("create the user"))?;
    let (token, kept) = issue::ingestion_token(&tenant, TOKEN_LIFETIME, now)
        .map_err(failed("get random numbers"))?;
    store.create_token(&kept).map_err(failed("create a token"))?;
    Ok(token)
}

/// Scans of half a year of one site, up to this time.
async fn scans(state: &AppState, end: DateTime<Utc>) -> Result<(), FillError> {
    for (ago, recording) in sites::history() {
        if let Some(site) = replayed(&recording, end - ago) {
            state.shared().scans.keep_earlier(site).await.map_err(failed("keep a scan"))?;
        }
    }
    Ok(())
}

fn replayed(recording: &Recording, taken_at: DateTime<Utc>) -> Option<SiteSnapshot> {
    let mut request = recording.request.clone();
    request.taken_at = taken_at;
    // What is recorded is there at once.
    scan::scan(&Replay::new(recording), &request).now_or_never()?.ok()
}

/// Logs of three months up to this time, by the ordinary way.
async fn logs(router: &Router, token: &Token, end: DateTime<Utc>) -> Result<(), FillError> {
    const ACTION: &str = "take in the logs";
    let host = sites::sites().first().map(|site| site.domain.to_string()).unwrap_or_default();
    let mut last = log::DAYS;
    while last > 0 {
        let first = (last - DAYS_OF_BATCH + 1).max(1);
        let batch: String = (first..=last).rev().map(|ago| log::day(&host, end, ago)).collect();
        let request = Request::post("/v1/logs")
            .header("host", "127.0.0.1")
            .header("authorization", format!("Bearer {}", token.reveal()))
            .header("content-type", "application/x-ndjson")
            .header("content-length", batch.len())
            .header("x-service-tenant", NAME)
            .header("x-service-schema", "1")
            .extension(ConnectInfo(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
            .body(Body::from(batch))
            .map_err(failed(ACTION))?;
        let response = router.clone().oneshot(request).await.map_err(failed(ACTION))?;
        if response.status() != StatusCode::ACCEPTED {
            return Err(failed(ACTION)(format!("the answer is {}", response.status())));
        }
        last = first - 1;
    }
    Ok(())
}
