//! Serves the fixture sites until standard input ends.
//!
//! `fixture-server [HOSTS [DELAY_MS]]` prints one line of JSON: ports, the file with the
//! certificate authority, and the hosts. `HOSTS` generated sites are called
//! `s0001.visibility-fixture.com` and so on; with `DELAY_MS` there are two more ports, behind a
//! proxy that delays each direction by so many milliseconds.
//!
//! ```sh
//! visibility scan parcelwise.com --ca-cert FILE \
//!     --connect-to :443:127.0.0.1:HTTPS --connect-to :80:127.0.0.1:HTTP
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use visibility_tests::proxy::DelayProxy;
use visibility_tests::server::FixtureServer;
use visibility_tests::site::{Reply, Site};
use visibility_tests::{hostile, site, typical};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let generated: usize = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let delay: Option<u64> = arguments.next().map(|text| text.parse()).transpose()?;

    let sites = typical::all().into_iter().map(|typical| typical.site);
    let sites: Vec<_> = sites.chain([site::good("example.com"), application()]).collect();
    let mut hosts: Vec<String> = sites.iter().map(|site| site.host.clone()).collect();
    hosts.extend((1..=generated).map(|n| format!("s{n:04}.visibility-fixture.com")));

    let server = FixtureServer::start(hostile::all().and(sites).generating(site::good)).await;
    for host in &hosts {
        server.authority().certificate(host);
    }
    let ca = ca_file(&server)?;
    let mut line = BTreeMap::from([
        ("https", json!(server.https().port())),
        ("http", json!(server.http().port())),
        ("ca", json!(ca)),
        ("hosts", json!(hosts)),
    ]);
    let mut proxies = Vec::new();
    if let Some(delay) = delay {
        for (name, target) in [("slow_https", server.https()), ("slow_http", server.http())] {
            let proxy = DelayProxy::start(target, Duration::from_millis(delay)).await;
            line.insert(name, json!(proxy.address().port()));
            proxies.push(proxy);
        }
    }
    writeln!(std::io::stdout(), "{}", json!(line))?;
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    ended.await??;
    std::fs::remove_file(ca)?;
    Ok(())
}

/// A site with the metadata document of an OAuth client, which is what names it to an authorization server.
fn application() -> Site {
    let host = "app.visibility-fixture.com";
    let document = json!({
        "client_id": format!("https://{host}/client.json"),
        "client_name": "An application of tests",
        "client_uri": format!("https://{host}/"),
        "redirect_uris": ["http://127.0.0.1:7/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    site::good(host).with("/client.json", Reply::json(document.to_string()))
}

fn ca_file(server: &FixtureServer) -> std::io::Result<PathBuf> {
    let name = format!("visibility-fixture-{}.pem", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, server.authority().pem())?;
    Ok(path)
}
