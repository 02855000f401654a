//! Concurrent requests for the same domain share one scan.

use std::sync::Arc;

use futures_util::future::join_all;
use tempfile::tempdir;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site, good};

use crate::api::agent_readiness::error;
use crate::api::gate::Gate;
use crate::api::server::Server;

/// A server that finds one host behind a gate, and all others where they are.
pub(crate) async fn gated(
    hosts: Hosts,
    host: &str,
    change: impl FnOnce(&mut visibility_server::settings::Settings),
) -> (Server, Gate) {
    let sites = FixtureServer::start(hosts).await;
    let gate = Gate::before(sites.https()).await;
    let rule = format!("{host}:443:{}", gate.address);
    let server = Server::on(Arc::new(tempdir().unwrap()), sites, |settings| {
        settings.fetch.connect_to.insert(0, rule);
        change(settings);
    });
    (server.await, gate)
}

#[tokio::test]
async fn twenty_who_ask_at_once_in_two_languages_cost_one_scan() {
    let host = "shop.example.com";
    let alone = Server::with(Hosts::new([good(host)]), |_| {}).await;
    alone.result("", host).await;
    let cost = alone.sites.requests();

    let (server, gate) =
        gated(Hosts::new([good(host)]), host, |settings| settings.limits.scans_per_day = 500).await;
    let ask = |number: usize| {
        let query = if number.is_multiple_of(2) { "" } else { "?lang=tr" };
        server.result(query, host)
    };
    let opened = async {
        // All of them wait, or come so much later that they find what is kept.
        gate.wait_until(|waiting| waiting > 0).await;
        gate.open();
    };
    let (results, ()) = tokio::join!(join_all((0..20).map(ask)), opened);
    assert_eq!(server.sites.requests(), cost);
    for (number, result) in results.iter().enumerate() {
        let lang = if number.is_multiple_of(2) { "en" } else { "tr" };
        assert_eq!(result["lang"], lang);
        assert_eq!(result["scanned_at"], results[0]["scanned_at"]);
    }
    assert!(results.iter().any(|result| result["cached"] == false));
    let metrics = server.metrics.render();
    assert!(metrics.contains("visibility_scans_total{result=\"ok\"} 1\n"), "{metrics}");
    let left = server.scan(host).await.headers()["ratelimit"].to_str().unwrap().to_owned();
    assert!(left.contains("r=499;"), "one of them pays: {left}");
}

#[tokio::test]
async fn a_scan_goes_on_while_one_of_two_waits() {
    let host = "shop.example.com";
    let (server, gate) = gated(Hosts::new([good(host)]), host, |_| {}).await;
    let staying = async { server.result("", host).await };
    let leaving = async {
        gate.wait_for(1).await;
        {
            let asking = server.scan(host);
            tokio::pin!(asking);
            // Sent, and then given up: the client closes its connection.
            let given_up = tokio::time::timeout(std::time::Duration::from_millis(300), asking);
            assert!(given_up.await.is_err());
        }
        assert_eq!(gate.waiting(), 1, "the scan is still there");
        gate.open();
    };
    let (result, ()) = tokio::join!(staying, leaving);
    assert_eq!(result["cached"], false);
    let metrics = server.metrics.render();
    assert!(metrics.contains("visibility_scans_total{result=\"ok\"} 1\n"), "{metrics}");
    assert!(!metrics.contains("abandoned"), "{metrics}");
}

#[tokio::test]
async fn a_failure_is_shared_and_never_kept() {
    let host = "broken.example.com";
    let broken = Site::new(host).with("/", Reply::error(503));
    let (server, gate) = gated(Hosts::new([broken]), host, |_| {}).await;
    let opened = async {
        gate.wait_until(|waiting| waiting > 0).await;
        gate.open();
    };
    let (responses, ()) = tokio::join!(join_all((0..8).map(|_| server.scan(host))), opened);
    for response in responses {
        let (status, error) = error(response).await;
        assert_eq!((status.as_u16(), &error["code"]), (502, &"UPSTREAM_SCAN_FAILED".into()));
        assert_eq!(error["details"]["status"], 503, "{error}");
    }
    let requests = server.sites.requests();
    assert_eq!(server.kept(host, &[]).await.status(), 404);
    assert_eq!(server.scan(host).await.status(), 502);
    assert!(server.sites.requests() > requests, "it is requested again");
}
