//! `https-and-redirects`: one canonical address, over TLS, reached without detours.
//!
//! What is judged is the transport: a page that refuses us still shows its certificate and its
//! redirects. The refusal itself is the subject of `bot-wall`.

use url::Url;

use crate::fetch::domain::Domain;
use crate::fetch::{FetchError, Hop, Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix, ServerRule};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::{elsewhere, home};
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "https-and-redirects",
    category: Category::Access,
    weight: 3,
    maturity: Maturity::Standard,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        SECURE,
        SITE_ELSEWHERE,
        TLS_FAULTY,
        NO_HTTPS,
        INSECURE_END,
        REDIRECT_LOOP,
        TOO_MANY_REDIRECTS,
        DEAD_REDIRECT,
        LONG_CHAIN,
        TEMPORARY_REDIRECT,
        HTTP_SERVES,
        HTTP_NOT_UPGRADED,
        META_REFRESH,
        SPLIT_HOST,
        NO_RESPONSE,
        HOME_STATUS,
        REFUSED,
        UNREADABLE,
        HTTP_UPGRADED,
        HTTP_CLOSED,
        OTHER_HOST_JOINED,
        OTHER_HOST_SILENT,
        OTHER_DOMAIN,
        CERTIFICATE,
        CERTIFICATE_ENDS_SOON,
        HSTS,
        NO_HSTS,
        LOCAL_SITE,
    ],
    covers: &["HTTPS"],
    specs: &[
        Spec { name: "RFC 9110", url: "https://www.rfc-editor.org/rfc/rfc9110#section-15.4" },
        Spec { name: "RFC 6797", url: "https://www.rfc-editor.org/rfc/rfc6797" },
    ],
    evaluate,
};

const SECURE: Outcome = Outcome::pass("secure");
const SITE_ELSEWHERE: Outcome = Outcome::fail("site-elsewhere");
const TLS_FAULTY: Outcome = Outcome::fail("tls-faulty");
const NO_HTTPS: Outcome = Outcome::fail("no-https");
const INSECURE_END: Outcome = Outcome::fail("insecure-end");
const REDIRECT_LOOP: Outcome = Outcome::fail("redirect-loop");
const TOO_MANY_REDIRECTS: Outcome = Outcome::fail("too-many-redirects");
const DEAD_REDIRECT: Outcome = Outcome::fail("dead-redirect");
const NO_RESPONSE: Outcome = Outcome::fail("no-response");
const LONG_CHAIN: Outcome = Outcome::warn("long-chain");
const TEMPORARY_REDIRECT: Outcome = Outcome::warn("temporary-redirect");
const HTTP_SERVES: Outcome = Outcome::warn("http-serves");
const HTTP_NOT_UPGRADED: Outcome = Outcome::warn("http-not-upgraded");
const META_REFRESH: Outcome = Outcome::warn("meta-refresh");
const SPLIT_HOST: Outcome = Outcome::warn("split-host");
const HOME_STATUS: Outcome = Outcome::warn("home-status");
const REFUSED: Outcome = Outcome::unknown("refused");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");
const HTTP_UPGRADED: Outcome = Outcome::pass("http-upgraded");
const HTTP_CLOSED: Outcome = Outcome::pass("http-closed");
const OTHER_HOST_JOINED: Outcome = Outcome::pass("other-host-joined");
const OTHER_HOST_SILENT: Outcome = Outcome::pass("other-host-silent");
const OTHER_DOMAIN: Outcome = Outcome::pass("other-domain");
const CERTIFICATE: Outcome = Outcome::pass("certificate");
const CERTIFICATE_ENDS_SOON: Outcome = Outcome::pass("certificate-ends-soon");
const HSTS: Outcome = Outcome::pass("hsts");
const NO_HSTS: Outcome = Outcome::pass("no-hsts");
const LOCAL_SITE: Outcome = Outcome::not_applicable("local-site");

/// Hops that deserve full credit, and hops that deserve half of it.
const SHORT_CHAIN: usize = 2;
const MAX_CHAIN: usize = 5;
/// Days before its end when a certificate should have been renewed.
const RENEWAL_DAYS: i64 = 14;

fn evaluate(site: &SiteSnapshot) -> Finding {
    if site.is_loopback() {
        return Finding::new(LOCAL_SITE.with("url", site.origin()));
    }
    let mut detections = Vec::new();
    let elsewhere = elsewhere::find(site);
    let asked = site.domain().as_str();
    detections.extend(
        elsewhere.map(|other| SITE_ELSEWHERE.with("url", &other.url).with("domain", asked)),
    );
    let https = match site.fetch_result(&Resource::Home) {
        Some(Ok(response)) => Some(response),
        Some(Err(error)) => {
            detections.push(failure(site, error));
            None
        }
        None => {
            detections.push(UNREADABLE.detected());
            None
        }
    };
    if let Some(response) = https {
        detections.extend(arrival(site, response));
    }
    detections.extend(plain_http(site));
    detections.extend(temporary(site));
    detections.extend(meta_refresh(site));
    if elsewhere.is_none() {
        detections.extend(other_host(site, https));
    }
    if let Some(response) = https {
        detections.extend(certificate(site, response));
        let hsts = response.headers.first("strict-transport-security");
        detections.push(hsts.map_or_else(|| NO_HSTS.detected(), |value| HSTS.with("value", value)));
    }
    let finding =
        Finding::from_worst(detections).unwrap_or_else(|| Finding::new(UNREADABLE.detected()));
    let fix = fix(site, https, &finding);
    finding.with_evidence(evidence(site)).with_fix_if_any(fix)
}

/// Why HTTPS brought no response.
fn failure(site: &SiteSnapshot, error: &FetchError) -> Detection {
    let own = |host: &str| host.split(':').next() == Some(site.domain().as_str());
    match error {
        FetchError::Tls { host, problem } => {
            TLS_FAULTY.with_note("problem", problem.note()).with("host", host)
        }
        FetchError::Connect { host } if own(host) => NO_HTTPS.detected(),
        // A firewall that drops packets lets a client wait; plain HTTP shows that the site is up.
        FetchError::Timeout { .. } if site.home().is_some() => NO_HTTPS.detected(),
        FetchError::RedirectLoop { hops } => REDIRECT_LOOP.with("hops", hops.len()),
        FetchError::TooManyRedirects { hops } => TOO_MANY_REDIRECTS.with("hops", hops.len()),
        FetchError::BadRedirect { .. }
        | FetchError::Connect { .. }
        | FetchError::Denied { .. }
        | FetchError::Dns { .. } => DEAD_REDIRECT.with_note("problem", error.note()),
        FetchError::Timeout { .. } | FetchError::Protocol { .. } => {
            NO_RESPONSE.with_note("problem", error.note())
        }
        FetchError::Deadline | FetchError::NotRecorded | FetchError::Skipped { .. } => {
            UNREADABLE.detected()
        }
    }
}

/// Where HTTPS led, and how.
fn arrival(site: &SiteSnapshot, home: &Response) -> Vec<Detection> {
    let mut detections = Vec::new();
    if home.url.scheme() != "https" {
        detections.push(INSECURE_END.with("url", &home.url));
    }
    let hops = chain_length(site, home);
    detections.extend(match hops {
        0..=SHORT_CHAIN if !detections.is_empty() => None,
        0..=SHORT_CHAIN => Some(SECURE.with("hops", hops).with("url", &home.url)),
        _ if hops <= MAX_CHAIN => Some(LONG_CHAIN.with("hops", hops)),
        _ => Some(TOO_MANY_REDIRECTS.with("hops", hops)),
    });
    let served = |response: &Response| response.is_success() && site.challenge(response).is_none();
    if !served(home)
        && !home::is_for_programs(site)
        && !site.response(&Resource::HomeAsBrowser).is_some_and(served)
    {
        let refused = matches!(home.status, 401..=403 | 406 | 407 | 429 | 451)
            || site.challenge(home).is_some();
        let outcome = if refused { REFUSED } else { HOME_STATUS };
        detections.push(outcome.with("status", home.status));
    }
    let host = home.url.host_str().unwrap_or_default();
    let registrable = host.parse::<Domain>().map(|domain| domain.registrable().to_owned());
    if registrable.is_ok_and(|registrable| registrable != site.domain().registrable()) {
        detections.push(OTHER_DOMAIN.with("host", host));
    }
    detections
}

/// Hops to the page from `https://domain/` or from `http://domain/`, whichever is farther.
fn chain_length(site: &SiteSnapshot, home: &Response) -> usize {
    let https = home.hops.len();
    let Some(target) = http_target(site) else { return https };
    let mut known = home.hops.iter().map(|hop| &hop.url).chain([&home.url]);
    let skipped = known.position(|url| *url == target);
    https.max(skipped.map_or(1, |skipped| 1 + https - skipped))
}

/// Where plain HTTP redirects to.
fn http_target(site: &SiteSnapshot) -> Option<Url> {
    let response = site.response(&Resource::HttpHome)?;
    let location = response.headers.first("location")?;
    let redirects = (300..400).contains(&response.status);
    redirects.then(|| response.url.join(location).ok()).flatten()
}

/// What port 80 does. Nothing at all is as good as a redirect.
fn plain_http(site: &SiteSnapshot) -> Option<Detection> {
    let response = match site.fetch_result(&Resource::HttpHome)? {
        Ok(response) => response,
        Err(FetchError::Skipped { .. } | FetchError::Deadline) => return None,
        Err(_) => return Some(HTTP_CLOSED.detected()),
    };
    if let Some(target) = http_target(site) {
        return Some(match target.scheme() {
            "https" => HTTP_UPGRADED.with("status", response.status),
            _ => HTTP_NOT_UPGRADED.with("url", target),
        });
    }
    let served = response.is_success() && site.challenge(response).is_none();
    Some(if served { HTTP_SERVES.detected() } else { HTTP_CLOSED.detected() })
}

/// A redirect that moves scheme or host and says that it is temporary.
fn temporary(site: &SiteSnapshot) -> Option<Detection> {
    let http = site
        .response(&Resource::HttpHome)
        .map(|response| (response.status, response.url.clone(), http_target(site)));
    let hops = hops(site)
        .iter()
        .map(|hop| (hop.status, hop.url.clone(), hop.url.join(&hop.location).ok()));
    let mut moves = http.into_iter().chain(hops);
    moves.find_map(|(status, from, to)| {
        let moved =
            to.is_some_and(|to| (to.scheme(), to.host_str()) != (from.scheme(), from.host_str()));
        let temporary = moved && matches!(status, 302 | 303 | 307);
        temporary.then(|| TEMPORARY_REDIRECT.with("status", status).with("url", from))
    })
}

/// The redirects of the home page, whether they led somewhere or not.
fn hops(site: &SiteSnapshot) -> &[Hop] {
    match site.fetch_result(&Resource::Home) {
        Some(Ok(response)) => &response.hops,
        Some(Err(error)) => error.hops(),
        None => &[],
    }
}

/// A page that sends its readers elsewhere, which most clients without a browser do not follow.
fn meta_refresh(site: &SiteSnapshot) -> Option<Detection> {
    if let Some(hop) = hops(site).iter().find(|hop| (200..300).contains(&hop.status)) {
        return Some(META_REFRESH.with("url", &hop.location).with("from", &hop.url));
    }
    let home = site.home()?;
    let (_, target) = site.page()?.meta_refresh()?;
    let target = home.url.join(&target?).ok()?;
    (target != home.url).then(|| META_REFRESH.with("url", target).with("from", &home.url))
}

/// Whether apex and `www` lead to one host.
fn other_host(site: &SiteSnapshot, home: Option<&Response>) -> Option<Detection> {
    let exchange = site.exchange(&Resource::OtherHost)?;
    let other = exchange.probe.url.host_str()?;
    let last =
        home.map_or_else(|| site.domain().as_str(), |r| r.url.host_str().unwrap_or_default());
    let response = match &exchange.result {
        Ok(response) => response,
        Err(FetchError::Skipped { .. } | FetchError::Deadline) => return None,
        Err(error) => {
            return Some(OTHER_HOST_SILENT.with("host", other).with_note("result", error.note()));
        }
    };
    let location = response.headers.first("location");
    let target = location.and_then(|location| response.url.join(location).ok());
    let redirects = (300..400).contains(&response.status);
    // The probe may have followed the redirects.
    let arrived = response.url.host_str().unwrap_or(other);
    let reached = match target.filter(|_| redirects) {
        Some(target) => target.host_str().unwrap_or_default().to_owned(),
        None if response.is_success() || arrived != other => arrived.to_owned(),
        None => {
            let result = format!("HTTP {}", response.status);
            return Some(OTHER_HOST_SILENT.with("host", other).with("result", result));
        }
    };
    let one = reached == last || reached == site.domain().as_str();
    let outcome = if one { OTHER_HOST_JOINED } else { SPLIT_HOST };
    Some(outcome.with("host", other).with("canonical", last))
}

fn certificate(site: &SiteSnapshot, home: &Response) -> Option<Detection> {
    let tls = home.tls.as_ref()?;
    let days = tls.not_after.saturating_sub(site.taken_at().timestamp()).div_euclid(86_400);
    let outcome = if days < RENEWAL_DAYS { CERTIFICATE_ENDS_SOON } else { CERTIFICATE };
    Some(outcome.with("days", days))
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    if let Some(mut first) = site.evidence(&Resource::HttpHome) {
        if let Some(target) = http_target(site) {
            first = first.note(Note::new("redirects-to").with("url", target));
        }
        evidence.push(first);
    }
    if let Some(mut home) = site.evidence(&Resource::Home) {
        let hops: Vec<String> = hops(site)
            .iter()
            .map(|hop| format!("{} {} -> {}", hop.status, hop.url, hop.location))
            .collect();
        if !hops.is_empty() {
            home = home.quote(&hops.join("; "));
        }
        evidence.push(home);
    }
    evidence.extend(site.evidence(&Resource::OtherHost));
    evidence
}

/// The rule of the server that fixes the decisive fault, if one does.
///
/// A long chain has none: its hops are rules that are there, and have to be found one by one.
/// A redirect loop has none: behind a proxy that ends TLS, one more redirect to HTTPS is its usual
/// cause.
fn fix(site: &SiteSnapshot, home: Option<&Response>, finding: &Finding) -> Option<Fix> {
    let decisive = finding.detections().first()?.outcome;
    let domain = site.domain().as_str();
    let other = site.exchange(&Resource::OtherHost).and_then(|e| e.probe.url.host_str());
    let names: Vec<String> =
        [Some(domain), other].into_iter().flatten().map(str::to_owned).collect();
    let secure = home.filter(|home| home.url.scheme() == "https");
    let canonical = elsewhere::find(site).or(secure).and_then(|home| home.url.host_str());
    let canonical = canonical.unwrap_or(domain).to_owned();
    let rule = match decisive {
        TLS_FAULTY | NO_HTTPS | CERTIFICATE_ENDS_SOON => ServerRule::Certificate { names },
        SITE_ELSEWHERE | HTTP_SERVES | HTTP_NOT_UPGRADED | TEMPORARY_REDIRECT | SPLIT_HOST
        | INSECURE_END => ServerRule::Redirects { names, canonical },
        _ => return None,
    };
    Some(Fix::new(Edit::Server { rule }))
}
