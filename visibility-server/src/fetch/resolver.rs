//! A DNS resolver that needs no thread for each lookup.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
    ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::{Resolver, TokioResolver};
use visibility_core::fetch::BoxFuture;
use visibility_core::fetch::http::Resolve;

/// Times that a question is sent, at the most: datagrams get lost.
const TRIES: u32 = 2;

/// Why there is no resolver.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ResolverError(#[from] NetError);

/// Asks name servers. It keeps no answers: a scan asks once and stays with what it heard.
pub(super) struct DnsResolver(TokioResolver);

impl DnsResolver {
    /// A resolver that asks these servers, or those of the operating system; each name within a time.
    pub(super) fn new(servers: &[SocketAddr], patience: Duration) -> Result<Self, ResolverError> {
        let provider = TokioRuntimeProvider::default();
        let mut builder = if servers.is_empty() {
            Resolver::builder(provider)?
        } else {
            let servers = servers.iter().map(name_server).collect();
            Resolver::builder_with_config(ResolverConfig::from_name_servers(servers), provider)
        };
        let options = builder.options_mut();
        limit(options, patience);
        Ok(Self(builder.build()?))
    }
}

impl std::fmt::Debug for DnsResolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("DnsResolver").finish_non_exhaustive()
    }
}

impl Resolve for DnsResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let mut name = Name::from_ascii(name).map_err(io::Error::other)?;
            // With its last dot: no suffix of the operating system's is tried behind it.
            name.set_fqdn(true);
            let found = self.0.lookup_ip(name).await.map_err(io::Error::other)?;
            Ok(found.iter().collect())
        })
    }
}

fn name_server(address: &SocketAddr) -> NameServerConfig {
    let mut udp = ConnectionConfig::udp();
    let mut tcp = ConnectionConfig::tcp();
    udp.port = address.port();
    tcp.port = address.port();
    NameServerConfig::new(address.ip(), true, vec![udp, tcp])
}

fn limit(options: &mut ResolverOpts, patience: Duration) {
    // One try less than would fit, so that answers are returned before the timeout.
    options.timeout = patience / (TRIES + 1);
    options.attempts = usize::try_from(TRIES - 1).unwrap_or(1);
    // All addresses are wanted: one that is not public refuses the name.
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = 0;
    // What this machine calls itself and its neighbors is nothing that strangers may scan.
    options.use_hosts_file = ResolveHosts::Never;
}

#[cfg(test)]
mod tests {
    use tokio::net::UdpSocket;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_question_that_is_never_answered_ends_before_the_patience_does() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let patience = Duration::from_secs(3);
        let resolver = DnsResolver::new(&[silent.local_addr().unwrap()], patience).unwrap();
        // Waiters must see the answers to other questions about the name.
        let nearly_all = patience * 9 / 10;
        let ended = timeout(nearly_all, resolver.resolve("shop.example.com")).await;
        assert!(ended.is_ok_and(|found| found.is_err()), "the resolver gives up by itself");
    }
}
