//! The accept loop: limits connections, also per address, and stops without cutting requests off.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use crate::http::connection::{self, Deadlines, stopped};
use crate::http::response;
use crate::settings::Settings;

/// First pause after a failure to accept, such as a lack of file descriptors; doubled up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Serves connections until `stop` is true, or its sender is gone; then lets the requests that run
/// end, for as long as the settings say, and ends what is left.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &Settings,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(settings.limits.connections));
    let addresses = Arc::new(AddressLimits::new(settings));
    let deadlines = Deadlines {
        head: Duration::from_secs(settings.timeouts.head),
        keep_alive: Duration::from_secs(settings.timeouts.keep_alive),
        write: Duration::from_secs(settings.timeouts.body_idle),
    };
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            Some(_) = connections.join_next() => continue,
            () = stopped(&mut stop) => break,
        };
        let (stream, peer, place) = accepted;
        let Some(seat) = addresses.acquire(peer.ip()) else {
            refuse(&stream);
            continue;
        };
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            connection::run(stream, peer, router, deadlines, stop).await;
            drop((place, seat));
        });
    }
    drop(listener);
    let patience = Duration::from_secs(settings.timeouts.shutdown);
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(patience, finished).await.is_err() {
        tracing::warn!(connections = connections.len(), "closed connections that did not finish");
        connections.shutdown().await;
    }
}

/// The next connection, when there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let place = Arc::clone(places).acquire_owned().await.ok();
    let mut pause = FIRST_PAUSE;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Answers are written at once; a failure costs time, nothing else.
                let _ = stream.set_nodelay(true);
                return (stream, peer, place);
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "cannot accept");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_PAUSE);
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

/// Says why the connection ends, without waiting for anything.
fn refuse(stream: &TcpStream) {
    // A peer whose first bytes cannot be written is not worth waiting for.
    let _ = stream.try_write(&response::raw_unavailable());
}

/// Connections by address.
#[derive(Debug)]
struct AddressLimits {
    limit: usize,
    trusted: Vec<IpNet>,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

impl AddressLimits {
    fn new(settings: &Settings) -> Self {
        Self {
            limit: settings.limits.connections_per_address,
            trusted: settings.trusted_proxies.clone(),
            taken: Mutex::default(),
        }
    }

    /// A seat for a connection from an address, or none if it has all that it may have.
    fn acquire(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let address = address.to_canonical();
        if self.trusted.iter().any(|network| network.contains(&address)) {
            return Some(ConnectionPermit { addresses: Arc::clone(self), key: None });
        }
        let key = network_of(address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.get(&key).copied().unwrap_or_default();
        if count >= self.limit {
            return None;
        }
        taken.insert(key, count + 1);
        Some(ConnectionPermit { addresses: Arc::clone(self), key: Some(key) })
    }
}

/// An IPv4 address, or the /64 of an IPv6 address: one customer has all of that.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
    }
}

/// A connection that counts for its address until it is dropped.
#[derive(Debug)]
struct ConnectionPermit {
    addresses: Arc<AddressLimits>,
    key: Option<IpAddr>,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some(key) = self.key else {
            return;
        };
        let mut taken = self.addresses.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(limit: usize, trusted: &[&str]) -> Arc<AddressLimits> {
        let mut settings = Settings::default();
        settings.limits.connections_per_address = limit;
        settings.trusted_proxies = trusted.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(AddressLimits::new(&settings))
    }

    #[test]
    fn an_address_has_its_seats_and_gets_them_back() {
        let addresses = addresses(2, &[]);
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let first = addresses.acquire(address).unwrap();
        let _second = addresses.acquire(address).unwrap();
        assert!(addresses.acquire(address).is_none());
        assert!(addresses.acquire("::ffff:192.0.2.1".parse().unwrap()).is_none());
        assert!(addresses.acquire("192.0.2.2".parse().unwrap()).is_some());
        drop(first);
        assert!(addresses.acquire(address).is_some());
    }

    #[test]
    fn addresses_of_one_64_are_one() {
        let addresses = addresses(1, &[]);
        let _seat = addresses.acquire("2001:db8:1:2::1".parse().unwrap()).unwrap();
        assert!(addresses.acquire("2001:db8:1:2:ffff::9".parse().unwrap()).is_none());
        assert!(addresses.acquire("2001:db8:1:3::1".parse().unwrap()).is_some());
    }

    #[test]
    fn no_entry_outlives_its_connections() {
        let addresses = addresses(1, &[]);
        drop(addresses.acquire("192.0.2.1".parse().unwrap()));
        assert!(addresses.taken.lock().unwrap().is_empty());
    }

    #[test]
    fn a_trusted_proxy_has_no_limit() {
        let addresses = addresses(1, &["192.0.2.0/24"]);
        let seats: Vec<_> =
            (0..9).map(|_| addresses.acquire("192.0.2.7".parse().unwrap())).collect();
        assert!(seats.iter().all(Option::is_some));
    }
}
