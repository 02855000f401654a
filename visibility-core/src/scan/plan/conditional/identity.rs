//! Probes for the metadata of OAuth.

use url::Url;

use crate::fetch::{Probe, Resource};
use crate::scan::facts::published::{self, mcp, protection};
use crate::scan::plan::ACCEPT_JSON;
use crate::scan::request::{ScanRequest, at};
use crate::scan::snapshot::SiteSnapshot;

/// Metadata of the authorization server: of the one that the protected-resource metadata name if
/// it is another one, and `OpenID` Connect's form of it if the form of RFC 8414 is not there.
pub(super) fn authorization_server(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    let issuer = protection::issuer(site);
    let own = published::authorization_server(site, &Resource::AuthorizationServer).is_valid();
    let elsewhere = issuer.as_ref().filter(|issuer| !is_root_of(site, issuer));
    let mut probes = Vec::new();
    if let Some(issuer) = elsewhere {
        let url = inserted(issuer, "oauth-authorization-server");
        probes.push(request.probe(Resource::NamedAuthorizationServer, url));
    }
    let missing = elsewhere.is_some() || !own;
    if missing && protection::is_expected(site) {
        let base = issuer.unwrap_or_else(|| site.origin().clone());
        let path =
            format!("{}/.well-known/openid-configuration", base.path().trim_end_matches('/'));
        probes.push(request.probe(Resource::OpenIdConfiguration, at(&base, &path)));
    }
    probes.into_iter().map(|probe| probe.accepting(ACCEPT_JSON)).collect()
}

/// `/auth.md`, where a site that protects something may tell agents how to register.
pub(super) fn auth_md(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let published = published::authorization_server(site, &Resource::AuthorizationServer);
    let wanted = protection::is_expected(site) || published.is_valid();
    wanted.then(|| request.probe(Resource::AuthMd, at(site.origin(), "/auth.md")))
}

/// Metadata of an MCP endpoint that is protected, or not asked yet: where its 401 says, else by the
/// rule of RFC 9728 section 3.1.
pub(super) fn endpoint_resource(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let endpoint = mcp::endpoint(site)?;
    let named = match site.fetch_result(&Resource::McpEndpoint) {
        None => None,
        Some(Ok(response)) if response.status == 401 => protection::named_metadata(response),
        Some(_) => return None,
    };
    let root = published::protected_resource(site, &Resource::ProtectedResource);
    let by_rule = (endpoint.path() != "/").then(|| inserted(&endpoint, "oauth-protected-resource"));
    let url = named.or(by_rule).filter(|_| !root.is_valid())?;
    Some(request.probe(Resource::EndpointProtectedResource, url).accepting(ACCEPT_JSON))
}

fn is_root_of(site: &SiteSnapshot, issuer: &Url) -> bool {
    issuer.origin() == site.origin().origin() && issuer.path() == "/"
}

/// A well-known path put between authority and path (RFC 8414 section 3.1).
fn inserted(base: &Url, suffix: &str) -> Url {
    let path = base.path().trim_end_matches('/');
    at(base, &format!("/.well-known/{suffix}{path}"))
}
