//! Scans over real sockets: the same findings as without, and bounds on sites that are too much.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use visibility_core::fetch::http::{HttpClient, HttpSettings};
use visibility_core::fetch::{BodyEnd, Resource};
use visibility_core::limits::{MAX_HOME_BYTES, MAX_PROBES, MAX_REQUESTS, MAX_SITEMAP_BYTES};
use visibility_core::scan;
use visibility_core::scan::checks::CHECKS;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::request::ScanRequest;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::text::locale::Lang;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{USER_AGENT, good, now};
use visibility_tests::{hostile, typical};

async fn scan_at(
    server: &FixtureServer,
    https: SocketAddr,
    host: &str,
    request_timeout: Duration,
) -> SiteSnapshot {
    let mut settings = HttpSettings {
        scanned_by: USER_AGENT.to_owned(),
        request_timeout,
        ..HttpSettings::default()
    };
    settings.trust_pem(server.authority().pem().as_bytes()).unwrap();
    for (port, target) in [(443, https), (80, server.http())] {
        settings.connect_to.push(format!(":{port}:127.0.0.1:{}", target.port()).parse().unwrap());
    }
    let fetch = HttpClient::new(settings).unwrap().session();
    let request = ScanRequest::new(host.parse().unwrap(), now(), USER_AGENT);
    scan::scan(&fetch, &request).await.unwrap()
}

async fn scan_of(server: &FixtureServer, host: &str) -> SiteSnapshot {
    scan_at(server, server.https(), host, Duration::from_secs(10)).await
}

/// What every check decided; response times apart, which are those of a busy machine here.
fn decided(site: &SiteSnapshot) -> Vec<(&'static str, &'static str)> {
    let selection =
        Selection { skip: BTreeSet::from(["response-budget".to_owned()]), ..Selection::all() };
    let report = ScanReport::evaluate(site, &selection);
    let decisive = report.evaluated_checks().iter().filter_map(|judged| {
        let signal = judged.finding.detections().first()?;
        Some((judged.check.id, signal.outcome.id))
    });
    decisive.collect()
}

#[tokio::test]
async fn a_site_is_judged_over_sockets_as_it_is_without() {
    let sites = typical::all();
    let hosts = Hosts::new(sites.iter().map(|typical| typical.site.clone()));
    let server = FixtureServer::start(hosts).await;
    for typical in sites {
        let live = scan_of(&server, &typical.site.host).await;
        let still = typical.site.scan().unwrap();
        assert_eq!(decided(&live), decided(&still), "{}", typical.name);
        assert_eq!(decided(&live).len(), CHECKS.len() - 1);
    }
}

#[tokio::test]
async fn a_head_with_lines_that_are_no_fields_costs_a_site_nothing() {
    let site = good("kestrel-lamps.com");
    let home = site.body_of("/").unwrap();
    let still = site.scan().unwrap();
    for lines in [
        "x-info: a\r\n b",
        "content-security-policy: default-src 'self';\r\n\tscript-src 'self'",
        "x info: a",
        "x-info : a",
        "a line without a colon",
        ": a",
        "x-info: a\u{1}b",
    ] {
        let head =
            format!("HTTP/1.1 200 OK\r\n{lines}\r\ncontent-type: text/html; charset=utf-8\r\n");
        let response = format!("{head}content-length: {}\r\n\r\n{home}", home.len());
        let hosts = Hosts::new([site.clone()]).raw("https://kestrel-lamps.com/", response);
        let live = scan_of(&FixtureServer::start(hosts).await, "kestrel-lamps.com").await;
        assert_eq!(decided(&live), decided(&still), "{lines:?}");
    }
}

#[tokio::test]
async fn no_scan_sends_more_probes_than_the_limit() {
    let sites = typical::all();
    let hosts = Hosts::new(sites.iter().map(|typical| typical.site.clone()));
    let server = FixtureServer::start(hosts).await;
    for typical in sites {
        let before = server.requests();
        let site = scan_of(&server, &typical.site.host).await;
        assert!(site.exchanges().count() <= MAX_PROBES, "{}", typical.name);
        // Redirects are requests, too; none of these sites has more than a few.
        assert!(server.requests() - before <= MAX_PROBES + 5, "{}", typical.name);
    }
}

#[tokio::test]
async fn a_site_that_limits_requests_gets_the_same_tier_in_every_run() {
    // Each takes seconds of waiting, so they go on side by side, and each has a server of its own.
    join_all((0..3).map(async |run| {
        let site = typical::all().into_iter().next().expect("the best site");
        let host = site.site.host.clone();
        let server = FixtureServer::start(Hosts::new([site.site]).limited_to(8)).await;
        let snapshot = scan_of(&server, &host).await;
        let report = ScanReport::evaluate(&snapshot, &Selection::all());
        let score = report.score().unwrap();
        let missed: Vec<_> = snapshot
            .exchanges()
            .filter(|exchange| exchange.result.as_ref().is_ok_and(|answer| answer.status == 429))
            .map(|exchange| &exchange.probe.resource)
            .collect();
        assert_eq!((score.value, score.tier), (site.score, site.tier), "{run}: {missed:?}");
        let result = report.result(Lang::En);
        assert_eq!(result.confidence, "high", "{run}");
        assert!(result.observations.iter().any(|seen| seen.id == "slowed-down"), "{run}");
        // The repeated ones included.
        assert!(server.requests() <= MAX_REQUESTS);
    }))
    .await;
}

#[tokio::test]
async fn a_far_site_is_scanned_in_a_few_round_trips() {
    // One after the other, the first request would wait for the other three until its time is over.
    let hosts = Hosts::new([good("example.com")]).meeting(4);
    let server = FixtureServer::start(hosts).await;
    let site = scan_of(&server, "example.com").await;
    assert!(site.response(&Resource::LlmsTxt).unwrap().is_success());
}

#[tokio::test]
async fn a_large_home_page_and_a_large_sitemap_are_cut() {
    let server = FixtureServer::start(hostile::all()).await;
    let site = scan_of(&server, "large.visibility-fixture.com").await;
    let home = site.response(&Resource::Home).unwrap();
    assert_eq!((home.body.len(), home.body_end), (MAX_HOME_BYTES, BodyEnd::Capped));
    let site = scan_of(&server, "sitemap.visibility-fixture.com").await;
    let sitemap = site.response(&Resource::Sitemap).unwrap();
    assert_eq!((sitemap.body.len(), sitemap.body_end), (MAX_SITEMAP_BYTES, BodyEnd::Capped));
}

#[tokio::test]
async fn a_hundred_thousand_nested_tags_are_a_page_like_any_other() {
    let server = FixtureServer::start(hostile::all()).await;
    let site = scan_of(&server, "nested.visibility-fixture.com").await;
    assert!(site.page().is_some());
    assert_eq!(decided(&site).len(), CHECKS.len() - 1);
}

#[tokio::test]
async fn a_bomb_and_an_endless_page_stop_at_the_cap() {
    let server = FixtureServer::start(hostile::all()).await;
    for host in ["bomb.visibility-fixture.com", "endless.visibility-fixture.com"] {
        let site = scan_of(&server, host).await;
        let home = site.response(&Resource::Home).unwrap();
        assert_eq!((home.body.len(), home.body_end), (MAX_HOME_BYTES, BodyEnd::Capped), "{host}");
        assert!(home.wire_bytes < 4 * MAX_HOME_BYTES as u64, "{host}");
    }
}

#[tokio::test]
async fn a_dripping_page_ends_with_the_time_of_its_probe() {
    let server = FixtureServer::start(hostile::all()).await;
    let host = "drip.visibility-fixture.com";
    let site = scan_at(&server, server.https(), host, Duration::from_secs(1)).await;
    let home = site.response(&Resource::Home).unwrap();
    assert_eq!(home.body_end, BodyEnd::TimedOut);
    assert!(!home.body.is_empty());
}
