//! Decides which addresses a request may connect to, before it is sent.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use url::{Host, Url};

use crate::error::{ErrorCode, Problem};
use crate::fetch::domain::is_off_the_internet;
use crate::fetch::http::HttpSettings;
use crate::fetch::http::address::is_public;
use crate::fetch::http::connect_to::ConnectTo;
use crate::fetch::http::denied_hosts::DeniedHosts;
use crate::fetch::http::error::authority;
use crate::fetch::http::proxy::ProxyRules;
use crate::fetch::page_url::is_loopback;
use crate::fetch::{BoxFuture, FetchError};
use crate::limits::MAX_ADDRESSES;

/// Looks up the addresses of a name.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// All addresses of a name, in the order in which they are to be tried.
    ///
    /// # Errors
    ///
    /// When the name has none, or the lookup failed.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system. It takes a thread for each lookup.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// Where a request may connect to: to one of these addresses, and nowhere else.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Route {
    /// Those of the target.
    Direct(Vec<SocketAddr>),
    /// Those of the proxy that the request is sent to.
    Proxied {
        /// Host and port of the proxy.
        proxy: String,
        addresses: Vec<SocketAddr>,
    },
}

impl Route {
    pub(super) fn addresses(&self) -> &[SocketAddr] {
        match self {
            Self::Direct(addresses) | Self::Proxied { addresses, .. } => addresses,
        }
    }
}

/// The guard of one scan. It asks for each name once and stays with the answer, so that a name
/// cannot change its address between check and connection.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) lookup_timeout: Duration,
    pub(super) denied_hosts: DeniedHosts,
    pub(super) allow_networks: Vec<IpNet>,
    pub(super) connect_to: Vec<ConnectTo>,
    pub(super) proxy: Option<ProxyRules>,
    pub(super) answers: Mutex<BTreeMap<String, Lookup>>,
}

type Lookup = Arc<OnceCell<Option<Vec<IpAddr>>>>;

impl Guard {
    /// Where a request for this URL may go.
    ///
    /// A name is denied as a whole if any of its addresses is. Addresses in the URL are checked
    /// here too: the client connects to them without asking a resolver. A request that goes through a proxy is checked
    /// by the same rules, before the proxy hears of it; only a name that has no address here is left to the proxy.
    pub(super) async fn admit(&self, url: &Url, after_redirect: bool) -> Result<Route, FetchError> {
        let denied = || FetchError::Denied { after_redirect };
        if url.host_str().is_some_and(|host| self.denied_hosts.contains(host)) {
            return Err(denied());
        }
        let port = url.port_or_known_default().ok_or_else(denied)?;
        let proxy = self.proxy.as_ref().and_then(|rules| rules.for_url(url));
        let addresses = match url.host().ok_or_else(denied)? {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => {
                let mut targets = self.connect_to.iter().filter_map(|rule| rule.target(name, port));
                if let Some((host, port)) = targets.next() {
                    // The client connects to the port that is in a URL, whatever it is given.
                    let is_possible = url.port().is_none_or(|own| own == port);
                    if !is_possible {
                        return Err(denied());
                    }
                    let Some(host) = host else {
                        return self
                            .other_port(name, port)
                            .await
                            .and_then(|route| route.ok_or_else(denied));
                    };
                    return self.elsewhere(host, port).await;
                }
                // The network of the proxy may have names of its own.
                if proxy.is_some() && is_off_the_internet(name) {
                    return Err(denied());
                }
                match (self.look_up(name).await, proxy) {
                    (Ok(addresses), _) => addresses,
                    (Err(_), Some(proxy)) if is_web(port) => return self.through(proxy).await,
                    (Err(_), Some(_)) => return Err(denied()),
                    (Err(error), None) => return Err(error),
                }
            }
        };
        let mut allowed = addresses.clone();
        allowed.retain(|&address| self.is_allowed(address, port));
        // `localhost` has addresses of both versions, all of them this machine's own: one is enough.
        let is_enough = is_loopback(url) && addresses.iter().all(IpAddr::is_loopback);
        if allowed.is_empty() || (allowed.len() < addresses.len() && !is_enough) {
            return Err(denied());
        }
        match proxy {
            Some(proxy) => self.through(proxy).await,
            None => Ok(direct(allowed, port)),
        }
    }

    /// To a proxy. The operator chose it, so its address is exempt from every check.
    async fn through(&self, proxy: &Url) -> Result<Route, FetchError> {
        let port = proxy.port_or_known_default().unwrap_or_default();
        let addresses = match proxy.host() {
            Some(Host::Ipv4(address)) => vec![IpAddr::V4(address)],
            Some(Host::Ipv6(address)) => vec![IpAddr::V6(address)],
            Some(Host::Domain(name)) => self.look_up(name).await?,
            None => Vec::new(),
        };
        Ok(Route::Proxied { proxy: authority(proxy), addresses: with_port(addresses, port) })
    }

    /// The name itself on a port that the caller chose: its addresses are the stranger's, so they are
    /// checked. `None` if one is not allowed.
    async fn other_port(&self, name: &str, port: u16) -> Result<Option<Route>, FetchError> {
        let addresses = self.look_up(name).await?;
        Ok(addresses
            .iter()
            .all(|address| {
                is_public(*address)
                    || self.allow_networks.iter().any(|network| network.contains(address))
            })
            .then(|| direct(addresses, port)))
    }

    /// The target that a rule of the caller's names: exempt from every check.
    async fn elsewhere(&self, host: Host, port: u16) -> Result<Route, FetchError> {
        let addresses = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => self.look_up(&name).await?,
        };
        Ok(direct(addresses, port))
    }

    fn is_allowed(&self, address: IpAddr, port: u16) -> bool {
        let is_listed = || self.allow_networks.iter().any(|network| network.contains(&address));
        is_web(port) && is_public(address) || is_listed()
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, FetchError> {
        let lookup = {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(answers.entry(name.to_owned()).or_default())
        };
        let answer = lookup.get_or_init(|| async {
            let answer = timeout(self.lookup_timeout, self.resolver.resolve(name)).await;
            answer.ok()?.ok().filter(|addresses| !addresses.is_empty())
        });
        answer.await.clone().ok_or_else(|| FetchError::Dns { host: name.to_owned() })
    }
}

/// What a URL alone says against a request, before any name is looked up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ForbiddenTarget {
    /// Its port is not one of the web's.
    Port,
    /// Its host is an address that is not public, or `localhost`.
    NotPublic,
}

impl From<ForbiddenTarget> for Problem {
    fn from(objection: ForbiddenTarget) -> Self {
        let (id, reason) = match objection {
            ForbiddenTarget::Port => ("url-port", "port"),
            ForbiddenTarget::NotPublic => ("url-not-public", "not_public"),
        };
        Self::new(ErrorCode::UrlNotAllowed, id).detail("reason", reason)
    }
}

impl HttpSettings {
    /// What can be said at once against a request for a URL: an address or a port that is never connected
    /// to. What this passes may still be denied when its name is looked up.
    pub fn forbidden_target(&self, url: &Url) -> Option<ForbiddenTarget> {
        let port = url.port_or_known_default()?;
        let is_listed =
            |address| self.allow_networks.iter().any(|network| network.contains(&address));
        let of_address = |address| match (is_public(address), is_web(port)) {
            (true, true) => None,
            _ if is_listed(address) => None,
            (true, false) => Some(ForbiddenTarget::Port),
            (false, _) => Some(ForbiddenTarget::NotPublic),
        };
        match url.host()? {
            Host::Ipv4(address) => of_address(IpAddr::V4(address)),
            Host::Ipv6(address) => of_address(IpAddr::V6(address)),
            // Wherever a rule leads, and whatever is in a listed network, only a lookup can tell.
            Host::Domain(name) => {
                let is_led = self.connect_to.iter().any(|rule| rule.target(name, port).is_some());
                if is_led || !self.allow_networks.is_empty() {
                    return None;
                }
                if is_local(name) {
                    return Some(ForbiddenTarget::NotPublic);
                }
                (!is_web(port)).then_some(ForbiddenTarget::Port)
            }
        }
    }
}

/// Whether a name is of the machine itself, by RFC 6761.
fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

fn direct(addresses: Vec<IpAddr>, port: u16) -> Route {
    Route::Direct(with_port(addresses, port))
}

fn with_port(addresses: Vec<IpAddr>, port: u16) -> Vec<SocketAddr> {
    let addresses = addresses.into_iter().take(MAX_ADDRESSES);
    addresses.map(|address| SocketAddr::new(address, port)).collect()
}

fn is_web(port: u16) -> bool {
    matches!(port, 80 | 443)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers each question with the next of its answers, and the last for ever.
    #[derive(Debug)]
    struct Changing {
        answers: Vec<Vec<&'static str>>,
        asked: AtomicUsize,
    }

    impl Resolve for Changing {
        fn resolve<'a>(&'a self, _name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            let number = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
            let addresses = self.answers[number].iter().map(|text| text.parse().unwrap()).collect();
            Box::pin(async move { Ok(addresses) })
        }
    }

    fn guard(answers: Vec<Vec<&'static str>>) -> (Guard, Arc<Changing>) {
        let resolver = Arc::new(Changing { answers, asked: AtomicUsize::new(0) });
        let guard = Guard {
            resolver: Arc::clone(&resolver) as Arc<dyn Resolve>,
            lookup_timeout: Duration::from_secs(5),
            denied_hosts: DeniedHosts::default(),
            allow_networks: Vec::new(),
            connect_to: Vec::new(),
            proxy: None,
            answers: Mutex::default(),
        };
        (guard, resolver)
    }

    #[tokio::test]
    async fn a_name_that_changes_its_address_is_pinned_to_the_first() {
        let url = "https://client.example.com/a".parse().unwrap();
        let (first, asked) = guard(vec![vec!["93.184.215.14"], vec!["127.0.0.1"]]);
        let pinned = Route::Direct(vec!["93.184.215.14:443".parse().unwrap()]);
        for after_redirect in [false, true, false] {
            let route = first.admit(&url, after_redirect).await.unwrap();
            assert_eq!(route, pinned, "no other address can be connected to");
        }
        assert_eq!(asked.asked.load(Ordering::SeqCst), 1);
        let (private, _) = guard(vec![vec!["127.0.0.1"], vec!["93.184.215.14"]]);
        for _ in 0..2 {
            let denied = private.admit(&url, false).await.unwrap_err();
            assert!(matches!(denied, FetchError::Denied { after_redirect: false }), "{denied:?}");
        }
    }

    #[tokio::test]
    async fn a_name_is_denied_for_any_of_its_addresses() {
        let url = "https://client.example.com/a".parse().unwrap();
        for addresses in [
            vec!["::ffff:127.0.0.1"],
            vec!["::1"],
            vec!["fd00::1"],
            vec!["64:ff9b::7f00:1"],
            vec!["fe80::1"],
            vec!["93.184.215.14", "10.0.0.1"],
            vec!["93.184.215.14", "::ffff:10.0.0.1"],
            vec!["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::1"],
        ] {
            let denied = guard(vec![addresses.clone()]).0.admit(&url, false).await;
            assert!(matches!(denied, Err(FetchError::Denied { .. })), "{addresses:?}: {denied:?}");
        }
        let public = vec!["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
        assert!(guard(vec![public]).0.admit(&url, false).await.is_ok());
    }

    /// Knows what a private network and the internet have.
    #[derive(Debug)]
    struct Names;

    impl Resolve for Names {
        fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            let address = match name {
                "shop.kestrel-lamps.com" => Some("93.184.215.14"),
                "intranet.kestrel-lamps.com" | "both.local" | "single" | "localhost" => {
                    Some("10.0.0.7")
                }
                "proxy.kestrel-lamps.com" => Some("10.0.0.1"),
                _ => None,
            };
            let addresses = address.map(|text| vec![text.parse().unwrap()]);
            Box::pin(async move { addresses.ok_or_else(|| io::ErrorKind::NotFound.into()) })
        }
    }

    #[derive(Debug, PartialEq)]
    enum Way {
        Direct,
        Proxied,
        Denied,
        Unknown,
    }

    async fn way(variables: &[(&str, &str)], url: &str, after_redirect: bool) -> Way {
        let rules = ProxyRules::from_variables(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.into())
        });
        let guard = Guard {
            resolver: Arc::new(Names),
            proxy: Some(rules.unwrap()),
            ..guard(vec![vec!["192.0.2.1"]]).0
        };
        match guard.admit(&url.parse().unwrap(), after_redirect).await {
            Ok(Route::Direct(_)) => Way::Direct,
            Ok(Route::Proxied { proxy, addresses }) => {
                assert_eq!(proxy, "proxy.kestrel-lamps.com:3128");
                assert_eq!(addresses, ["10.0.0.1:3128".parse().unwrap()]);
                Way::Proxied
            }
            Err(FetchError::Denied { after_redirect: found }) => {
                assert_eq!(found, after_redirect);
                Way::Denied
            }
            Err(FetchError::Dns { .. }) => Way::Unknown,
            Err(error) => panic!("{url}: {error}"),
        }
    }

    type Variables = Vec<(&'static str, &'static str)>;

    const PROXY: &str = "http://proxy.kestrel-lamps.com:3128";

    fn both() -> Variables {
        vec![("HTTP_PROXY", PROXY), ("HTTPS_PROXY", PROXY)]
    }

    fn except(list: &'static str) -> Variables {
        [both(), vec![("NO_PROXY", list)]].concat()
    }

    #[tokio::test]
    async fn public_targets_go_the_way_of_the_variables() {
        let targets = [
            "http://shop.kestrel-lamps.com/",
            "https://shop.kestrel-lamps.com/",
            "http://93.184.215.14/",
            "http://unknown.kestrel-lamps.com/",
        ];
        for (variables, expected) in [
            (both(), [Way::Proxied, Way::Proxied, Way::Proxied, Way::Proxied]),
            (vec![("ALL_PROXY", PROXY)], [Way::Proxied, Way::Proxied, Way::Proxied, Way::Proxied]),
            (vec![("https_proxy", PROXY)], [Way::Direct, Way::Proxied, Way::Direct, Way::Unknown]),
            (except("*"), [Way::Direct, Way::Direct, Way::Direct, Way::Unknown]),
            (except("93.0.0.0/8"), [Way::Proxied, Way::Proxied, Way::Direct, Way::Proxied]),
            (except("*.kestrel-lamps.com"), [Way::Direct, Way::Direct, Way::Proxied, Way::Unknown]),
            (
                except("shop.kestrel-lamps.com:80"),
                [Way::Direct, Way::Proxied, Way::Proxied, Way::Proxied],
            ),
        ] {
            for (target, expected) in targets.iter().zip(expected) {
                for after_redirect in [false, true] {
                    assert_eq!(
                        way(&variables, target, after_redirect).await,
                        expected,
                        "{variables:?} {target}"
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn other_targets_are_refused_whatever_way_they_would_go() {
        for variables in [
            both(),
            vec![("https_proxy", PROXY)],
            except("*"),
            except(".kestrel-lamps.com"),
            except("intranet.kestrel-lamps.com,10.0.0.0/8"),
        ] {
            for target in [
                "http://intranet.kestrel-lamps.com/",
                "https://intranet.kestrel-lamps.com/",
                "http://proxy.kestrel-lamps.com/",
                "http://proxy.kestrel-lamps.com:3128/",
                "http://10.0.0.1:3128/",
                "http://10.0.0.7/",
                "http://[::ffff:10.0.0.7]/",
                "http://[fd00::7]/",
                "http://both.local/",
                "http://single/",
                "https://localhost/",
                "http://shop.kestrel-lamps.com:8080/",
            ] {
                for after_redirect in [false, true] {
                    let found = way(&variables, target, after_redirect).await;
                    assert_eq!(found, Way::Denied, "{variables:?} {target}");
                }
            }
        }
        for target in ["http://nowhere.local/", "http://nowhere/", "http://nowhere.internal./"] {
            assert_eq!(way(&both(), target, false).await, Way::Denied, "{target}");
            assert_eq!(way(&except("*"), target, false).await, Way::Unknown, "{target}");
        }
        assert_eq!(
            way(&both(), "http://unknown.kestrel-lamps.com:8080/", false).await,
            Way::Denied
        );
    }

    #[tokio::test]
    async fn a_rule_of_the_operator_leads_past_the_proxy() {
        let variables = |name: &str| (name == "ALL_PROXY").then(|| "10.0.0.1:3128".into());
        let guard = Guard {
            proxy: Some(ProxyRules::from_variables(variables).unwrap()),
            connect_to: vec!["shop.kestrel-lamps.com:443:127.0.0.1:8443".parse().unwrap()],
            allow_networks: vec!["10.0.0.7/32".parse().unwrap()],
            resolver: Arc::new(Names),
            ..guard(vec![vec!["192.0.2.1"]]).0
        };
        let admit = async |url: &str| guard.admit(&url.parse().unwrap(), false).await;
        let led = Route::Direct(vec!["127.0.0.1:8443".parse().unwrap()]);
        assert_eq!(admit("https://shop.kestrel-lamps.com/").await.unwrap(), led);
        let proxied = Route::Proxied {
            proxy: "10.0.0.1:3128".to_owned(),
            addresses: vec!["10.0.0.1:3128".parse().unwrap()],
        };
        for listed in ["http://10.0.0.7:8080/", "http://intranet.kestrel-lamps.com:8080/"] {
            assert_eq!(admit(listed).await.unwrap(), proxied, "{listed}");
        }
    }

    #[test]
    fn a_url_is_objected_to_for_its_address_or_its_port_before_any_lookup() {
        let plain = HttpSettings::default();
        let listed = HttpSettings {
            allow_networks: vec!["10.0.0.0/8".parse().unwrap()],
            ..HttpSettings::default()
        };
        let led = HttpSettings {
            connect_to: vec![":443:127.0.0.1:8443".parse().unwrap()],
            ..HttpSettings::default()
        };
        for (settings, url, objection) in [
            (&plain, "https://1.1.1.1/", None),
            (&plain, "http://1.1.1.1:443/", None),
            (&plain, "http://1.1.1.1:8080/", Some(ForbiddenTarget::Port)),
            (&plain, "https://127.0.0.1/", Some(ForbiddenTarget::NotPublic)),
            (&plain, "https://127.0.0.1:8443/", Some(ForbiddenTarget::NotPublic)),
            (&plain, "http://[::1]/", Some(ForbiddenTarget::NotPublic)),
            (&plain, "http://[::ffff:10.0.0.1]/", Some(ForbiddenTarget::NotPublic)),
            (&plain, "http://localhost/", Some(ForbiddenTarget::NotPublic)),
            (&plain, "http://a.LOCALHOST.:8080/", Some(ForbiddenTarget::NotPublic)),
            (&plain, "http://notlocalhost/", None),
            (&plain, "https://example.com:8443/", Some(ForbiddenTarget::Port)),
            (&plain, "https://example.com/", None),
            (&listed, "http://10.0.0.1:8080/", None),
            (&listed, "http://192.168.0.1/", Some(ForbiddenTarget::NotPublic)),
            (&listed, "http://example.com:8080/", None),
            (&led, "https://localhost/", None),
            (&led, "http://localhost/", Some(ForbiddenTarget::NotPublic)),
            (&led, "https://127.0.0.1/", Some(ForbiddenTarget::NotPublic)),
        ] {
            assert_eq!(settings.forbidden_target(&url.parse().unwrap()), objection, "{url}");
        }
    }
}
