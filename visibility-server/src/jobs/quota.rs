//! Quotas of keys and addresses for requests, scans and audits, as handlers use them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use chrono::TimeDelta;
use visibility_core::accounts::sliding_window::Remaining;
use visibility_core::error::{ErrorCode, Problem};

use crate::access::limiter::subject::Subject;
use crate::access::limiter::{Admission, LimitError, LimitScope, Limiter};
use crate::http::blocking::{blocking, in_background};
use crate::http::rate_limit_fields::RateLimitFields;
use crate::http::response::{ApiError, whole_seconds};
use crate::jobs::audit_usage::{AuditUsage, UsageEvent};
use crate::runtime::clock;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::telemetry::metrics::{Metrics, RateScope};

/// What is limited: scans of a key, scans of visitors of an address, or audits for one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum JobKind {
    Scans,
    VisitorScans,
    Audits,
}

impl JobKind {
    /// Its limits, with their names in header fields: of requests in a minute, and of works in a day.
    fn scopes(self) -> [(LimitScope, &'static str); 2] {
        match self {
            Self::Scans => [(LimitScope::Minute, "minute"), (LimitScope::Day, "daily")],
            Self::VisitorScans => {
                [(LimitScope::VisitorMinute, "minute"), (LimitScope::VisitorDay, "daily")]
            }
            Self::Audits => [(LimitScope::AuditMinute, "minute"), (LimitScope::AuditDay, "daily")],
        }
    }

    fn minute(self) -> LimitScope {
        let [(minute, _), _] = self.scopes();
        minute
    }

    fn day(self) -> LimitScope {
        let [_, (day, _)] = self.scopes();
        day
    }
}

/// What quotas are counted with, for all subjects.
pub(crate) struct Quotas {
    pub(crate) settings: Arc<Settings>,
    pub(crate) stores: Arc<Stores>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) limiter: Arc<Limiter>,
    pub(crate) audit_usage: AuditUsage,
}

impl fmt::Debug for Quotas {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Quotas").finish_non_exhaustive()
    }
}

/// What one subject may still ask, and have done.
#[derive(Clone, Debug)]
pub(crate) struct Quota {
    shared: Arc<Quotas>,
    subject: Subject,
    work: JobKind,
}

/// A scan or an audit that was counted: it is given back when this is dropped, unless it was spent.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct QuotaCharge {
    counted: Vec<(Quota, Admission)>,
    is_spent: bool,
}

impl QuotaCharge {
    /// Says that what it was for takes place.
    pub(crate) fn commit(&mut self) {
        self.is_spent = true;
    }

    /// Says that what it was for came to nothing for a reason of ours.
    pub(crate) fn refund(&mut self) {
        self.is_spent = false;
    }
}

impl Drop for QuotaCharge {
    fn drop(&mut self) {
        if self.is_spent {
            return;
        }
        for (quota, admission) in std::mem::take(&mut self.counted) {
            quota.shared.limiter.undo(&quota.subject, admission);
            let remove = move || {
                let shared = &quota.shared;
                shared.limiter.delete(shared.stores.state_store(), &quota.subject, admission);
            };
            in_background(remove);
        }
    }
}

impl Quota {
    /// The quota of a subject, unless its minute is used up. Counts nothing, and works in memory alone but
    /// for the first request of a subject after the start, or where all nodes count together.
    ///
    /// # Errors
    ///
    /// 429, or that a store failed.
    pub(crate) async fn check(
        shared: &Arc<Quotas>,
        subject: &Subject,
        work: JobKind,
    ) -> Result<Self, ApiError> {
        let limiter = &shared.limiter;
        let quota = Self { shared: Arc::clone(shared), subject: subject.clone(), work };
        if !work.scopes().iter().all(|(scope, _)| limiter.is_loaded(subject, *scope)) {
            quota.load().await?;
        }
        match limiter.check_loaded(subject, work.minute(), clock::now) {
            Ok(()) => Ok(quota),
            Err(error) => Err(quota.limit_error(error)),
        }
    }

    /// The quota of a subject whose minute is looked at when something is counted.
    pub(crate) fn unchecked(shared: &Arc<Quotas>, subject: Subject, work: JobKind) -> Self {
        Self { shared: Arc::clone(shared), subject, work }
    }

    /// Whose quota it is.
    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Counts the request for the minute: it is not answered from a cache.
    ///
    /// # Errors
    ///
    /// 429 if others were faster, or that a store failed.
    pub(crate) async fn count_request(&self) -> Result<(), ApiError> {
        self.admit(self.work.minute()).await.map(|mut charge| charge.commit())
    }

    /// Counts a scan or an audit for the day.
    ///
    /// # Errors
    ///
    /// 429 if the day is used up, or that a store failed.
    pub(crate) async fn charge(&self) -> Result<QuotaCharge, ApiError> {
        self.admit(self.work.day()).await
    }

    /// Counts a scan of a site for the day. One of a visitor also counts for all visitors together and for the site, so
    /// that the service is no tool to visit the site of someone else often.
    ///
    /// # Errors
    ///
    /// 429 if one of these is used up, or that a store failed; nothing counts then.
    pub(crate) async fn charge_for_site(&self, site: &str) -> Result<QuotaCharge, ApiError> {
        let mut charge = self.charge().await?;
        if self.work != JobKind::VisitorScans {
            return Ok(charge);
        }
        let counted_too = [
            (Subject::host(format!("site/{site}")), LimitScope::VisitorSite),
            (Subject::all_visitors(), LimitScope::VisitorTotal),
        ];
        for (subject, scope) in counted_too {
            let other = Self { subject, ..self.clone() };
            let mut admitted = other.admit(scope).await?;
            charge.counted.append(&mut admitted.counted);
        }
        Ok(charge)
    }

    /// The error for a host that was audited too often, by any caller.
    pub(crate) fn host_limit_error(&self, limit: u32, wait: Duration) -> ApiError {
        self.limit_error(LimitError::Reached { scope: LimitScope::AuditHost, limit, wait })
    }

    /// The error for a caller that has too many audits running and waiting.
    pub(crate) fn concurrency_error(&self, limit: u32, wait: Duration) -> ApiError {
        let shared = &self.shared;
        shared.metrics.rate_limited(RateScope::AuditRunning);
        shared.audit_usage.count(UsageEvent::RefusedRunning);
        let seconds = whole_seconds(wait);
        let problem = Problem::new(ErrorCode::RateLimited, "audits-running")
            .value("limit", limit)
            .value("seconds", seconds)
            .detail("budget", "running")
            .detail("limit", limit)
            .detail("retry_after_seconds", seconds);
        ApiError::from(problem).retry_after(wait).rate_limit(self.fields())
    }

    /// Says on an answer what is left.
    pub(crate) fn add_headers(&self, mut response: Response) -> Response {
        self.fields().put(response.headers_mut());
        response
    }

    fn fields(&self) -> RateLimitFields {
        let shared = &self.shared;
        let mut fields = RateLimitFields::default();
        for (scope, name) in self.work.scopes() {
            if let Some(left) = shared.limiter.left(&self.subject, scope, clock::now) {
                fields.add(name, scope.limit(&shared.settings.limits), scope.span(), left);
            }
        }
        fields
    }

    async fn load(&self) -> Result<(), ApiError> {
        let quota = self.clone();
        let loading = blocking(move || {
            for (scope, _) in quota.work.scopes() {
                let loaded = quota.shared.limiter.load(
                    quota.shared.stores.state_store(),
                    &quota.subject,
                    scope,
                );
                loaded.map_err(|error| ApiError::store(&error))?;
            }
            Ok(())
        });
        loading.await
    }

    async fn admit(&self, scope: LimitScope) -> Result<QuotaCharge, ApiError> {
        if scope.limit(&self.shared.settings.limits) == 0 {
            return Ok(QuotaCharge::default());
        }
        let quota = self.clone();
        let admitting = blocking(move || {
            let shared = &quota.shared;
            let admitted = shared.limiter.admit(
                shared.stores.state_store(),
                &quota.subject,
                scope,
                clock::now,
            );
            let admission = admitted.map_err(|error| quota.limit_error(error))?;
            // Created here, so that nothing is lost if the caller stops waiting.
            let counted = admission.map(|admission| (quota, admission)).into_iter().collect();
            Ok(QuotaCharge { counted, is_spent: false })
        });
        admitting.await
    }

    fn limit_error(&self, error: LimitError) -> ApiError {
        let (scope, limit, wait) = match error {
            LimitError::Reached { scope, limit, wait } => (scope, limit, wait),
            LimitError::Store(error) => return ApiError::store(&error),
        };
        let problem = limit_reached(&self.shared, scope, limit, wait);
        let mut fields = self.fields();
        if scope == LimitScope::AuditHost {
            let frees_in = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
            fields.add("host", limit, scope.span(), Remaining { count: 0, frees_in });
        }
        ApiError::from(problem).retry_after(wait).rate_limit(fields)
    }
}

/// Counts and tells that a limit is reached.
fn limit_reached(shared: &Quotas, scope: LimitScope, limit: u32, wait: Duration) -> Problem {
    shared.metrics.rate_limited(scope.into());
    let limited = ErrorCode::RateLimited;
    let (code, id, budget) = match scope {
        LimitScope::Day => (ErrorCode::DailyCapExceeded, "rate-day", None),
        LimitScope::AuditMinute => {
            (limited, "audits-minute", Some(("minute", Some(UsageEvent::RefusedMinute))))
        }
        LimitScope::AuditDay => {
            (limited, "audits-day", Some(("day", Some(UsageEvent::RefusedDay))))
        }
        // The audit itself counts that, once for all who share it.
        LimitScope::AuditHost => (limited, "audits-host", Some(("host", None))),
        LimitScope::VisitorMinute => (limited, "visitors-minute", Some(("minute", None))),
        LimitScope::VisitorDay => (limited, "visitors-day", Some(("day", None))),
        LimitScope::VisitorTotal => (limited, "visitors-total", Some(("total", None))),
        LimitScope::VisitorSite => (limited, "visitors-site", Some(("site", None))),
        _ => (limited, "rate-minute", None),
    };
    let seconds = whole_seconds(wait);
    let problem = Problem::new(code, id)
        .value("limit", limit)
        .value("seconds", seconds)
        .detail("limit", limit)
        .detail("window_seconds", scope.span().num_seconds())
        .detail("retry_after_seconds", seconds);
    let Some((budget, event)) = budget else { return problem };
    if let Some(event) = event {
        shared.audit_usage.count(event);
    }
    problem.detail("budget", budget)
}

impl From<LimitScope> for RateScope {
    fn from(scope: LimitScope) -> Self {
        match scope {
            LimitScope::Burst => Self::Burst,
            LimitScope::Hour => Self::Hour,
            LimitScope::Minute => Self::Minute,
            LimitScope::Day => Self::Day,
            LimitScope::AuditMinute => Self::AuditMinute,
            LimitScope::AuditDay => Self::AuditDay,
            LimitScope::AuditHost => Self::AuditHost,
            LimitScope::VisitorMinute => Self::VisitorMinute,
            LimitScope::VisitorDay => Self::VisitorDay,
            LimitScope::VisitorTotal => Self::VisitorTotal,
            LimitScope::VisitorSite => Self::VisitorSite,
            LimitScope::McpMinute => Self::McpMinute,
            LimitScope::Registration => Self::Registration,
            LimitScope::ClientDocument => Self::ClientDocument,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use axum::response::IntoResponse;
    use tokio::sync::watch;
    use visibility_core::text::locale::Lang;

    use super::*;
    use crate::state::AppState;

    fn state(folder: &Path, per_minute: u32, per_day: u32) -> AppState {
        let mut settings = Settings { data_dir: folder.join("data"), ..Settings::default() };
        settings.limits.scans_per_minute = per_minute;
        settings.limits.scans_per_day = per_day;
        let stores = Arc::new(Stores::open(&settings.data_dir).unwrap());
        AppState::new(settings, stores, Arc::new(Metrics::default()), watch::channel(false).1)
            .unwrap()
    }

    fn subject() -> Subject {
        Subject::credential(&"acme".parse().unwrap(), &"default".parse().unwrap())
    }

    /// Policy and rest of an answer on which the quota tells what is left.
    fn headers(quota: &Quota) -> [Option<String>; 2] {
        let response = quota.add_headers(Response::default());
        ["ratelimit-policy", "ratelimit"].map(|name| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
        })
    }

    /// What is left, by the `r` of each limit.
    fn left(quota: &Quota) -> Vec<u32> {
        let limits = headers(quota)[1].clone().unwrap();
        let rests = limits.split("r=").skip(1);
        rests.map(|rest| rest.split(';').next().unwrap().parse().unwrap()).collect()
    }

    #[tokio::test]
    async fn a_look_costs_nothing_and_a_count_one() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path(), 30, 500);
        let quota = Quota::check(&state.shared().quotas, &subject(), JobKind::Scans).await.unwrap();
        assert_eq!(
            headers(&quota).map(Option::unwrap),
            [
                r#""minute";q=30;w=60, "daily";q=500;w=86400"#,
                r#""minute";r=30;t=60, "daily";r=500;t=86400"#
            ]
        );
        quota.count_request().await.unwrap();
        let scan = quota.charge().await.unwrap();
        assert_eq!(left(&quota), [29, 499]);
        drop(scan);
        assert_eq!(left(&quota), [29, 500]);
        quota.charge().await.unwrap().commit();
        assert_eq!(left(&quota), [29, 499]);
        let mut failed = quota.charge().await.unwrap();
        failed.commit();
        failed.refund();
        drop(failed);
        assert_eq!(left(&quota), [29, 499]);
    }

    #[tokio::test]
    async fn a_minute_that_is_used_up_refuses_every_request() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path(), 2, 0);
        for _ in 0..2 {
            let quota =
                Quota::check(&state.shared().quotas, &subject(), JobKind::Scans).await.unwrap();
            quota.count_request().await.unwrap();
        }
        let refused =
            Quota::check(&state.shared().quotas, &subject(), JobKind::Scans).await.unwrap_err();
        let details = refused.problem().object(Lang::En).details;
        assert_eq!((&details["limit"], &details["window_seconds"]), (&2.into(), &60.into()));
        let wait = details["retry_after_seconds"].as_u64().unwrap();
        assert!((30..=60).contains(&wait), "{wait}");
        let response = refused.into_response();
        assert_eq!(response.status(), 429);
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("retry-after"), wait.to_string());
        assert_eq!(header("ratelimit-policy"), r#""minute";q=2;w=60"#);
        assert!(header("ratelimit").starts_with(r#""minute";r=0;t="#));
    }

    #[tokio::test]
    async fn a_day_that_is_used_up_refuses_scans_alone_and_survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let first = state(folder.path(), 0, 1);
        let quota = Quota::check(&first.shared().quotas, &subject(), JobKind::Scans).await.unwrap();
        quota.charge().await.unwrap().commit();
        drop((quota, first));
        let second = state(folder.path(), 0, 1);
        let quota =
            Quota::check(&second.shared().quotas, &subject(), JobKind::Scans).await.unwrap();
        quota.count_request().await.unwrap();
        assert_eq!(left(&quota), [0]);
        let refused = quota.charge().await.unwrap_err();
        assert_eq!(refused.problem().code(), ErrorCode::DailyCapExceeded);
        assert_eq!(refused.problem().object(Lang::En).details["window_seconds"], 86_400);
    }

    #[tokio::test]
    async fn limits_that_are_lifted_are_not_reported() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path(), 0, 0);
        let quota = Quota::check(&state.shared().quotas, &subject(), JobKind::Scans).await.unwrap();
        for _ in 0..3 {
            quota.count_request().await.unwrap();
            quota.charge().await.unwrap().commit();
        }
        assert_eq!(headers(&quota), [None, None]);
    }
}
