//! `/compare`: scans of several domains beside each other, or those of two days of one.

mod forms;
mod query;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, NaiveDate, SubsecRound as _, Utc};
use maud::{Markup, html};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::domain::Domain;
use visibility_core::report::compare::{self, ScanComparison, ScanToCompare};
use visibility_core::report::labels::Labels;
use visibility_core::report::parts::Place;
use visibility_core::report::traffic::TrafficWords;
use visibility_core::scan::day::ScanDay;
use visibility_core::scan::result::ScanResult;
use visibility_core::text::markup::{Shown, sentence, shown};

use self::forms::Forms;
use self::query::{ComparisonQuery, DaysQuery, parse_day};
use super::{AnswerForm, COMPARE_PATH, may_see, pages, parse_domain, sign_in_first};
use crate::http::response::{ApiError, status_of};
use crate::jobs::cache::{Coding, Representation};
use crate::site::asker::{Asker, PageRequest};
use crate::site::layout::FrameKind;
use crate::site::page::{PageContext, PageKind};
use crate::site::problem_page;
use crate::site::result_file::private_json;
use crate::site::result_page::respond_to;
use crate::state::AppState;
use crate::stores::state::scan_days::{ALL_DAYS, StoredDay};

/// A scan of a domain that is kept.
#[derive(Debug)]
struct KeptScan {
    domain: Domain,
    scanned_at: DateTime<Utc>,
    scan: ScanDay,
    /// The result, if it is the latest one.
    result: Option<Arc<ScanResult>>,
}

impl KeptScan {
    fn to_compare(&self) -> ScanToCompare<'_> {
        ScanToCompare {
            domain: self.domain.as_str(),
            scanned_at: self.scanned_at,
            scan: &self.scan,
            result: self.result.as_deref(),
        }
    }
}

/// What a query leads to.
enum Answer {
    /// The scans, and the days of which there are some if two of one domain were compared.
    Scans(Vec<KeptScan>, Option<(NaiveDate, NaiveDate)>),
    /// It does not name enough.
    Incomplete,
}

/// Why there is no comparison.
struct Refusal {
    error: ApiError,
    /// The domain to scan first.
    unscanned: Option<Domain>,
}

impl<T: Into<ApiError>> From<T> for Refusal {
    fn from(error: T) -> Self {
        Self { error: error.into(), unscanned: None }
    }
}

/// `GET /compare` and `/compare.json`.
pub(super) async fn show(
    form: AnswerForm,
    state: &AppState,
    peer: SocketAddr,
    (uri, headers): (&Uri, &HeaderMap),
) -> Response {
    let context = PageContext::from_request(&state.shared().settings, COMPARE_PATH, uri, headers);
    let asked = PageRequest { state, context: &context, peer, headers };
    let asker = match Asker::from_request(state, Some(peer), headers).await {
        Ok(asker) => asker,
        Err(error) => return problem_page::respond(&context, FrameKind::Plain, &error),
    };
    let query = ComparisonQuery::parse(&context.query);
    let domains = domains(state, &query);
    if !may_see_all(asked, &asker, &domains) {
        return match asker {
            Asker::Person(_) => pages::no_scope(&context),
            Asker::Visitor { .. } => sign_in_first(&context, &context.path_and_query()),
        };
    }
    let answer = match domains {
        Ok(domains) => answer(asked, &query, domains).await,
        Err(error) => Err(error.into()),
    };
    match form {
        AnswerForm::Page => page(asked, &asker, &query, answer),
        AnswerForm::Json => json(answer),
    }
}

/// The domains that a query names, each once.
fn domains(state: &AppState, query: &ComparisonQuery) -> Result<Vec<Domain>, ApiError> {
    let named = query.days.iter().map(|days| &days.domain).chain(&query.domains);
    let domains: Result<Vec<Domain>, ApiError> =
        named.map(|text| parse_domain(state, text)).collect();
    let mut seen = HashSet::new();
    let mut domains = domains?;
    domains.retain(|domain| seen.insert(domain.clone()));
    Ok(domains)
}

/// Whether one may see all results of a query. One who may see some has a way to each of them, and none to a form.
fn may_see_all(
    asked: PageRequest<'_>,
    asker: &Asker,
    domains: &Result<Vec<Domain>, ApiError>,
) -> bool {
    let PageRequest { state, context, headers, .. } = asked;
    if asker.may_see_all() {
        return true;
    }
    let Ok(domains) = domains else { return false };
    let may_see = |domain| may_see(state, asker, headers, domain, &context.query);
    !domains.is_empty() && domains.iter().all(may_see)
}

async fn answer(
    asked: PageRequest<'_>,
    query: &ComparisonQuery,
    domains: Vec<Domain>,
) -> Result<Answer, Refusal> {
    if let (Some(days), [domain]) = (&query.days, domains.as_slice()) {
        return compare_days(asked, domain, days).await;
    }
    if let ([domain], 2..) = (domains.as_slice(), query.domains.len()) {
        let problem = Problem::new(ErrorCode::InvalidRequest, "compare-same");
        return Err(problem.value("domain", domain.as_str()).into());
    }
    if domains.len() < 2 {
        return Ok(Answer::Incomplete);
    }
    let mut scans = Vec::with_capacity(domains.len());
    for domain in &domains {
        let found = last_scan(asked, domain).await?;
        scans.push(found.ok_or_else(|| unscanned(domain))?);
    }
    Ok(Answer::Scans(scans, None))
}

/// That nothing is kept of a domain.
fn unscanned(domain: &Domain) -> Refusal {
    let problem = Problem::new(ErrorCode::NotFound, "compare-no-scan");
    let error = problem.value("domain", domain.as_str()).into();
    Refusal { error, unscanned: Some(domain.clone()) }
}

/// The latest result of a domain, if it is kept, with the time that it states.
async fn latest_result(
    asked: PageRequest<'_>,
    domain: &Domain,
) -> Option<(DateTime<Utc>, Arc<ScanResult>)> {
    let PageRequest { state, context, .. } = asked;
    let scans = &state.shared().scans;
    let representation = Representation { lang: context.lang, coding: Coding::Gzip };
    let cached = scans.cached(domain, representation).await?;
    let result = scans.read(&cached, context.lang)?;
    let scanned_at = result.scanned_at.parse().ok()?;
    Some((scanned_at, result))
}

/// The latest scan of a domain: the result, or what is left of it.
async fn last_scan(asked: PageRequest<'_>, domain: &Domain) -> Result<Option<KeptScan>, ApiError> {
    if let Some((scanned_at, result)) = latest_result(asked, domain).await {
        let scan = ScanDay::of(&result);
        let domain = domain.clone();
        return Ok(Some(KeptScan { domain, scanned_at, scan, result: Some(result) }));
    }
    let mut days = asked.state.shared().scans.days(domain, 1).await?;
    Ok(days.pop().map(|StoredDay { day: _, scanned_at, scan }| KeptScan {
        domain: domain.clone(),
        scanned_at,
        scan,
        result: None,
    }))
}

async fn compare_days(
    asked: PageRequest<'_>,
    domain: &Domain,
    days: &DaysQuery,
) -> Result<Answer, Refusal> {
    let from = days.from.as_deref().map(|text| parse_day("from", text)).transpose()?;
    let to = days.to.as_deref().map(|text| parse_day("to", text)).transpose()?;
    let kept = asked.state.shared().scans.days(domain, ALL_DAYS).await?;
    let (Some(first), Some(last)) = (kept.first(), kept.last()) else {
        return Err(unscanned(domain));
    };
    let known = (first.day, last.day);
    if first.day == last.day {
        let problem = Problem::new(ErrorCode::NotFound, "compare-one-day");
        return Err(problem.value("domain", domain.as_str()).value("day", first.day).into());
    }
    let to = to.unwrap_or(last.day);
    let from = from.unwrap_or_else(|| before(&kept, to).unwrap_or(first).day);
    if from == to {
        let problem = Problem::new(ErrorCode::InvalidRequest, "compare-same-day");
        return Err(problem.value("day", from).into());
    }
    let latest = latest_result(asked, domain).await;
    let mut scans = Vec::with_capacity(2);
    for day in [from.min(to), from.max(to)] {
        let found = kept.iter().find(|kept| kept.day == day);
        let found = found.ok_or_else(|| no_scan_on(domain, day, &kept))?;
        let scanned_at = found.scanned_at.trunc_subsecs(0);
        let result = latest.as_ref().filter(|(time, _)| *time == scanned_at);
        scans.push(KeptScan {
            domain: domain.clone(),
            scanned_at: found.scanned_at,
            scan: found.scan.clone(),
            result: result.map(|(_, result)| Arc::clone(result)),
        });
    }
    Ok(Answer::Scans(scans, Some(known)))
}

/// The last day with a scan before a day.
fn before(kept: &[StoredDay], day: NaiveDate) -> Option<&StoredDay> {
    kept.iter().rev().find(|kept| kept.day < day)
}

/// That there was no scan on a day, with the days beside it that have one.
fn no_scan_on(domain: &Domain, day: NaiveDate, kept: &[StoredDay]) -> Problem {
    let after = kept.iter().find(|kept| kept.day > day);
    let nearest: Vec<String> =
        before(kept, day).into_iter().chain(after).map(|kept| kept.day.to_string()).collect();
    Problem::new(ErrorCode::NotFound, "compare-no-day")
        .value("domain", domain.as_str())
        .value("day", day)
        .value("days", nearest.join(", "))
}

fn json(answer: Result<Answer, Refusal>) -> Response {
    match answer {
        Ok(Answer::Scans(scans, _)) => {
            let scans: Vec<ScanToCompare<'_>> = scans.iter().map(KeptScan::to_compare).collect();
            private_json(&ScanComparison::new(&scans))
        }
        Ok(Answer::Incomplete) => {
            let problem = Problem::new(ErrorCode::InvalidRequest, "compare-incomplete");
            ApiError::from(problem).into_response()
        }
        Err(refusal) => refusal.error.into_response(),
    }
}

fn page(
    asked: PageRequest<'_>,
    asker: &Asker,
    query: &ComparisonQuery,
    answer: Result<Answer, Refusal>,
) -> Response {
    let PageRequest { context, .. } = asked;
    let place = Place::new(Labels::new(context.lang));
    match answer {
        Ok(Answer::Scans(scans, known_days)) => {
            let (title, about) = heading(context, &scans, known_days.is_some());
            let forms = Forms { context, query, scans: &scans, known_days };
            let scans: Vec<ScanToCompare<'_>> = scans.iter().map(KeptScan::to_compare).collect();
            let body = html! {
                h1 { (title) }
                p.lead { (about) }
                (forms.ways())
                (compare::render(&scans, &place))
                (forms.render())
            };
            respond_to(asked, asker, PageKind::Wanted, title, body)
        }
        Ok(Answer::Incomplete) => {
            let body = without_scans(context, query, &html! {});
            let title = context.text("scan", "compare");
            respond_to(asked, asker, PageKind::Wanted, title, body)
        }
        Err(refusal) => {
            let problem = refusal.error.problem();
            // Our fault is no fault of the form.
            if status_of(problem.code()).is_server_error() {
                return problem_page::respond(context, FrameKind::Plain, &refusal.error);
            }
            let object = problem.object(context.lang);
            let why = html! {
                p.alert #compare-error role="alert" {
                    (sentence(&object.message))
                    @if let Some(hint) = &object.hint { " " (sentence(hint)) }
                }
                @if let Some(domain) = &refusal.unscanned { (pages::again(context, domain)) }
            };
            let kind = PageKind::Problem(problem.code());
            let title = context.text("scan", "compare");
            respond_to(asked, asker, kind, title, without_scans(context, query, &why))
        }
    }
}

/// A page that is only the form, and why.
fn without_scans(context: &PageContext, query: &ComparisonQuery, why: &Markup) -> Markup {
    let forms = Forms { context, query, scans: &[], known_days: None };
    html! {
        h1 { (context.text("scan", "compare")) }
        p.lead { (context.text("scan", "compare-about")) }
        (why)
        (forms.render())
    }
}

/// The title of a comparison, and what it is of.
fn heading(
    context: &PageContext,
    scans: &[KeptScan],
    is_of_days: bool,
) -> (Shown<'static>, Shown<'static>) {
    let mut names: Vec<String> = scans.iter().map(|scan| scan.domain.to_string()).collect();
    names.dedup();
    let title = context.fill("scan", "compare-title", ("names", &names.join(", ")));
    if !is_of_days {
        return (title, context.text("scan", "compare-latest"));
    }
    let words = TrafficWords::new(context.lang);
    let days: Vec<String> =
        scans.iter().map(|scan| words.day(scan.scanned_at.date_naive())).collect();
    (title, shown(days.join(" – ")))
}
