//! A scan whose service is killed leaves a result and a day of the history, or neither.
//!
//! `VISIBILITY_CRASH_KILLS=200` asks for more kills, and `VISIBILITY_CRASH_SEED` for other moments.

use std::io::Write as _;
use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::sleep;
use visibility_tests::random::Random;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;

use super::program::{Place, Service};

/// Kills, unless more are asked for.
const KILLS: u32 = 8;
/// Domains that are scanned while the service is killed.
const AT_ONCE: u32 = 3;
/// Milliseconds after the first answer within which the service is killed: what it has found is written then.
const AFTER_ANSWER_MS: u32 = 12;

fn number(variable: &str, otherwise: u32) -> u32 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn host(kill: u32, scan: u32) -> String {
    format!("s{kill}-{scan}.example.com")
}

struct KilledService {
    place: Place,
    sites: FixtureServer,
    key: String,
    client: Client,
}

impl KilledService {
    async fn new(kills: u32) -> Self {
        let hosts = (0..kills).flat_map(|kill| (0..AT_ONCE).map(move |scan| host(kill, scan)));
        let hosts: Vec<String> = hosts.collect();
        let sites = FixtureServer::start(Hosts::new(hosts.iter().map(|host| good(host)))).await;
        let place = Place::new();
        place.file("ca.pem", &sites.authority().pem());
        place.json(&["tenants", "create", "acme"]);
        let key = place.json(&["keys", "create", "acme", "--scope", "scan:read"]);
        // A second test in the process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let key = key["key"].as_str().unwrap().to_owned();
        Self { place, sites, key, client: Client::builder().no_proxy().build().unwrap() }
    }

    fn start(&self) -> Service {
        let (tls, plain) = (self.sites.https(), self.sites.http());
        let connect =
            [format!(":443:127.0.0.1:{}", tls.port()), format!(":80:127.0.0.1:{}", plain.port())];
        self.place.serve(&[
            "--ca-cert",
            "ca.pem",
            "--connect-to",
            &connect[0],
            "--connect-to",
            &connect[1],
            "--set",
            "limits.scans_per_minute=0",
            "--set",
            "limits.scans_per_day=0",
        ])
    }

    /// Asks for a scan, and gives the status, if there is an answer.
    async fn scan(&self, address: &str, host: &str) -> Option<u16> {
        let url = format!("http://{address}/api/v1/agent-readiness");
        let request = self.client.post(url).bearer_auth(&self.key).json(&json!({ "domain": host }));
        request.send().await.ok().map(|answer| answer.status().as_u16())
    }

    /// The body of what is kept of a domain, if that is kept.
    async fn kept(&self, address: &str, path: &str) -> Option<Value> {
        let url = format!("http://{address}/api/v1/agent-readiness/{path}");
        let answer = self.client.get(url).bearer_auth(&self.key).send().await.unwrap();
        match answer.status().as_u16() {
            200 => Some(answer.json().await.unwrap()),
            404 => None,
            status => panic!("{path}: {status}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_service_leaves_a_result_and_its_day_or_neither() {
    let kills = number("VISIBILITY_CRASH_KILLS", KILLS);
    let seed = number("VISIBILITY_CRASH_SEED", 7);
    let mut random = Random::new(seed.into());
    let killed = KilledService::new(kills).await;
    for kill in 0..kills {
        let service = killed.start();
        let address = service.address();
        let hosts = [host(kill, 0), host(kill, 1), host(kill, 2)];
        let delay = Duration::from_micros(u64::from(random.below(AFTER_ANSWER_MS * 1_000)));
        let scans = hosts.each_ref().map(|host| Box::pin(killed.scan(&address, host)));
        let (first, _, _others) = futures_util::future::select_all(scans).await;
        assert_eq!(first, Some(200), "kill {kill}");
        sleep(delay).await;
        service.signal("-KILL");
        service.wait();
    }
    let service = killed.start();
    let address = service.address();
    let (mut both, mut neither) = (0, 0);
    for kill in 0..kills {
        for scan in 0..AT_ONCE {
            let host = host(kill, scan);
            let result = killed.kept(&address, &host).await;
            let history = killed.kept(&address, &format!("{host}/history")).await;
            match (result, history) {
                (Some(result), Some(history)) => {
                    both += 1;
                    assert_eq!(history["days"][0]["score"], result["score"], "{host}");
                }
                (None, None) => neither += 1,
                (result, history) => panic!(
                    "{host}, seed {seed}: a result is {}, and a day {}",
                    result.is_some(),
                    history.is_some()
                ),
            }
        }
    }
    let said = format!("{kills} kills: {both} scans were kept and {neither} were not");
    let _ = writeln!(std::io::stderr(), "{said}");
    assert!(neither > 0, "the service was killed too late");
    assert_eq!(both + neither, kills * AT_ONCE);
}
