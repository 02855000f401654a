//! Where sites are read: in the network, or in the recordings of a demonstration.

use std::sync::Arc;
use std::time::Duration;

use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::Fetch;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::scan::demo::{self, DemoFetch};

use super::client::{FetchClientError, client};
use super::excluded;
use crate::settings::Settings;

/// Where sites are read. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Sites {
    /// In the network.
    Network(Arc<HttpClient>),
    /// In recordings of made-up sites.
    Demo(Arc<DemoFetch>),
}

impl Sites {
    /// The sites that the settings lead to, with so much time for a session.
    ///
    /// # Errors
    ///
    /// When the settings about fetching cannot be used.
    pub(crate) fn new(
        settings: &Settings,
        user_agent: &str,
        time: Duration,
    ) -> Result<Self, FetchClientError> {
        if settings.demo.is_some() {
            return Ok(Self::Demo(Arc::new(DemoFetch::new())));
        }
        Ok(Self::Network(Arc::new(client(settings, user_agent, time)?)))
    }

    /// The fetcher of one scan or audit, whose time starts now.
    pub(crate) fn session(&self) -> Arc<dyn Fetch> {
        match self {
            Self::Network(client) => Arc::new(client.session()),
            Self::Demo(recordings) => Arc::clone(recordings) as Arc<dyn Fetch>,
        }
    }

    /// Refuses a domain that is not scanned here.
    ///
    /// # Errors
    ///
    /// When the operator has excluded it or it is our own, and in a demonstration, when it is not recorded.
    pub(crate) fn check_domain(&self, domain: &Domain) -> Result<(), Problem> {
        match self {
            Self::Network(client) => excluded::check(&client.settings().denied_hosts, domain),
            Self::Demo(_) if demo::find(domain.as_str()).is_some() => Ok(()),
            Self::Demo(_) => Err(not_recorded(ErrorCode::DomainNotAllowed, "demo-domain")),
        }
    }

    /// Refuses a page that is not audited here.
    ///
    /// # Errors
    ///
    /// When the operator has excluded its host, or that is our own; when its address or its port alone says that it
    /// may not be asked for; and in a demonstration, when its site is not recorded.
    pub(crate) fn check_page(&self, page: &PageUrl) -> Result<(), Problem> {
        let settings = match self {
            Self::Network(client) => client.settings(),
            Self::Demo(_) if demo::find(page.host()).is_some() => return Ok(()),
            Self::Demo(_) => return Err(not_recorded(ErrorCode::UrlNotAllowed, "demo-page")),
        };
        if settings.denied_hosts.contains(page.host()) {
            let excluded = Problem::new(ErrorCode::UrlNotAllowed, "url-excluded");
            return Err(excluded.detail("reason", "excluded"));
        }
        settings.forbidden_target(page.as_url()).map_or(Ok(()), |target| Err(target.into()))
    }
}

fn not_recorded(code: ErrorCode, id: &'static str) -> Problem {
    let domains: Vec<&str> = demo::sites().iter().map(|site| site.domain.as_str()).collect();
    Problem::new(code, id).value("domains", domains.join(", ")).detail("reason", "excluded")
}
