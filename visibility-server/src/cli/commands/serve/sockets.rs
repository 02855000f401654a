//! The listeners of the service.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

use crate::cli::error::CommandError;
use crate::settings::Settings;

/// Connections that wait to be accepted, if the operating system allows as many. The usual hundred or
/// so overflow when a thousand clients come at once, and some of them are reset.
const BACKLOG: u32 = 4096;

/// The listeners, bound.
#[derive(Debug)]
pub(super) struct Sockets {
    /// The public one.
    pub(super) public: TcpListener,
    /// The one for ingestion alone.
    pub(super) ingest: Option<TcpListener>,
    /// The one for metrics.
    pub(super) metrics: Option<TcpListener>,
}

impl Sockets {
    /// Binds all of them, or none.
    pub(super) fn bind(settings: &Settings) -> Result<Self, CommandError> {
        Ok(Self {
            public: bind(settings.listen, "listen")?,
            ingest: bind_optional(settings.ingest_listen, "ingest_listen")?,
            metrics: bind_optional(settings.metrics_listen, "metrics_listen")?,
        })
    }

    /// Puts the addresses that were bound in place of those that were asked for: port 0 takes a free
    /// one, and answers tell where the service is.
    pub(super) fn name(&self, settings: &mut Settings) {
        if let Ok(address) = self.public.local_addr() {
            settings.listen = address;
        }
        if let Some(Ok(address)) = self.ingest.as_ref().map(TcpListener::local_addr) {
            settings.ingest_listen = Some(address);
        }
    }
}

/// Refuses to listen on public interfaces without a `base_url`: tokens would travel in
/// clear text, as there is no TLS here.
pub(super) fn refuse_public_without_url(settings: &Settings) -> Result<(), CommandError> {
    let ingest_url = settings.ingest_url.as_ref().or(settings.base_url.as_ref());
    let listeners = [
        (Some(settings.listen), "listen", "base_url", settings.base_url.as_ref()),
        (settings.ingest_listen, "ingest_listen", "ingest_url", ingest_url),
    ];
    for (address, name, url_name, url) in listeners {
        let is_public = address.is_some_and(|address| !address.ip().to_canonical().is_loopback());
        if is_public && url.is_none() {
            return Err(CommandError::usage(
                format!("`{name}` can be reached from outside, but `{url_name}` is not set"),
                format!(
                    "put a reverse proxy with TLS in front, and set `{url_name}` to \
                        its public URL, such as `https://visibility.example.com`"
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses to lead strangers into networks of ours: with `fetch.connect_to` scans connect to addresses
/// that are not public, which is for tests alone.
pub(super) fn refuse_public_in_test_mode(settings: &Settings) -> Result<(), CommandError> {
    if settings.fetch.connect_to.is_empty() {
        return Ok(());
    }
    let listeners = [(Some(settings.listen), "listen"), (settings.ingest_listen, "ingest_listen")];
    for (address, name) in listeners {
        if address.is_some_and(|address| !address.ip().to_canonical().is_loopback()) {
            return Err(CommandError::usage(
                format!("`fetch.connect_to` is set, but `{name}` can be reached from outside"),
                format!(
                    "`fetch.connect_to` is for tests: remove it, or set `{name}` to \
                        an address such as `127.0.0.1:8080`"
                ),
            ));
        }
    }
    Ok(())
}

fn bind(address: SocketAddr, name: &str) -> Result<TcpListener, CommandError> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // As after a restart, when old connections still linger.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().map_err(|error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "another process uses this port; choose another one, or 0 for a free one"
            }
            io::ErrorKind::PermissionDenied => "ports below 1024 need root; choose another one",
            _ => "choose an address of this machine",
        };
        CommandError::refused(format!("`{name}` cannot be `{address}`"), hint, error)
    })
}

fn bind_optional(
    address: Option<SocketAddr>,
    name: &str,
) -> Result<Option<TcpListener>, CommandError> {
    match address {
        Some(address) => bind(address, name).map(Some),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(listen: &str, ingest: Option<&str>, base: Option<&str>, url: Option<&str>) -> bool {
        let settings = Settings {
            listen: listen.parse().unwrap(),
            ingest_listen: ingest.map(|address| address.parse().unwrap()),
            base_url: base.map(str::to_owned),
            ingest_url: url.map(str::to_owned),
            ..Settings::default()
        };
        refuse_public_without_url(&settings).is_err()
    }

    #[test]
    fn loopback_needs_no_url() {
        assert!(!refused("127.0.0.1:80", Some("[::1]:81"), None, None));
        assert!(!refused("[::ffff:127.0.0.1]:80", None, None, None));
    }

    #[test]
    fn scans_of_our_own_networks_are_for_loopback() {
        let refused = |listen: &str, ingest: Option<&str>, rules: &[&str]| {
            let mut settings = Settings {
                listen: listen.parse().unwrap(),
                ingest_listen: ingest.map(|address| address.parse().unwrap()),
                ..Settings::default()
            };
            settings.fetch.connect_to = rules.iter().map(|rule| (*rule).to_owned()).collect();
            refuse_public_in_test_mode(&settings).is_err()
        };
        let rules = &["a.com:443:127.0.0.1:8443"];
        assert!(refused("0.0.0.0:80", None, rules));
        assert!(refused("127.0.0.1:80", Some("[::]:81"), rules));
        assert!(!refused("127.0.0.1:80", Some("[::1]:81"), rules));
        assert!(!refused("0.0.0.0:80", None, &[]));
    }

    #[test]
    fn an_address_that_is_reached_from_outside_needs_its_url() {
        let (local, all) = ("127.0.0.1:80", "0.0.0.0:80");
        assert!(refused(all, None, None, Some("https://a")));
        assert!(refused("[::]:80", None, None, None));
        assert!(!refused(all, None, Some("https://a"), None));
        assert!(refused(local, Some(all), None, None));
        assert!(!refused(local, Some(all), None, Some("https://a")));
        assert!(!refused(local, Some(all), Some("https://a"), None));
    }
}
