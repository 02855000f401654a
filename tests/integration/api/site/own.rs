//! The service is a site that agents can read: we scan it as we scan others.

use axum::Router;
use axum::http::Uri;
use axum::response::Redirect;
use chrono::Utc;
use visibility_core::fetch::http::{HttpClient, HttpSettings};
use visibility_core::report;
use visibility_core::scan;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::request::ScanRequest;
use visibility_core::text::locale::Lang;
use visibility_tests::server::Hosts;
use visibility_tests::tls::{self, Alpn, Leaf, TestCa};

use crate::api::server::Server;

const HOST: &str = "visibility.example.com";
const USER_AGENT: &str = "VisibilityBot/0.0.0 (+https://visibility.example.com/bot)";

/// The service behind a proxy with TLS, and a scan of it.
async fn scan_of_ourselves() -> ScanReport {
    let base_url = format!("https://{HOST}");
    let server =
        Server::with(Hosts::default(), |settings| settings.base_url = Some(base_url)).await;
    let authority = TestCa::new();
    let config = authority.server_config(&[HOST], Leaf::Good, Alpn::Http1);
    let https = tls::Server::in_front_of(server.address, config).await;
    let upgrade = async |uri: Uri| Redirect::permanent(&format!("https://{HOST}{}", uri.path()));
    let http = tls::Server::plain(Router::new().fallback(upgrade)).await;
    let mut settings =
        HttpSettings { scanned_by: USER_AGENT.to_owned(), ..HttpSettings::default() };
    settings.trust_pem(authority.root_pem().as_bytes()).unwrap();
    for (port, target) in [(443, https.port()), (80, http.port())] {
        settings.connect_to.push(format!(":{port}:127.0.0.1:{target}").parse().unwrap());
    }
    let fetch = HttpClient::new(settings).unwrap().session();
    let request = ScanRequest::new(HOST.parse().unwrap(), Utc::now(), USER_AGENT);
    ScanReport::evaluate(&scan::scan(&fetch, &request).await.unwrap(), &Selection::all())
}

#[tokio::test]
async fn our_own_scan_withholds_no_point() {
    let report = scan_of_ourselves().await;
    let result = report.result(Lang::En);
    let text = report::markdown::render(&result);
    let lacking: Vec<(&str, &str)> = report
        .evaluated_checks()
        .iter()
        .filter(|judged| !matches!(judged.finding.verdict().as_str(), "pass" | "not_applicable"))
        .map(|judged| (judged.check.id, judged.finding.detections()[0].outcome.id))
        .collect();
    assert_eq!(lacking, [], "{text}");
    assert_eq!(result.confidence, "high", "{text}");
    assert!(result.caps.is_empty(), "{text}");
    assert_eq!(result.score, Some(100), "{text}");
}
