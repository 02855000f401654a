//! Whether something on a site wants a token, and who gives tokens.

use url::Url;

use crate::fetch::{Resource, Response};
use crate::scan::published::{self, web_url};
use crate::scan::snapshot::SiteSnapshot;

/// A sign that something wants a token.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Protection {
    /// A request was answered with 401 and a challenge for a bearer token.
    Challenge,
    /// The MCP endpoint answered 401.
    Endpoint,
    /// The API description has a security scheme that ends in a token or a password.
    Api,
}

impl Protection {
    /// The word for it in reports; never translated.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Challenge => "WWW-Authenticate: Bearer",
            Self::Endpoint => "MCP: 401",
            Self::Api => "OpenAPI: securitySchemes",
        }
    }
}

/// The first sign that something wants a token, and the request that showed it.
pub(crate) fn sign(site: &SiteSnapshot) -> Option<(Protection, Resource)> {
    let refuses = |resource: &Resource| {
        site.response(resource).is_some_and(|response| response.status == 401)
    };
    if refuses(&Resource::McpEndpoint) {
        return Some((Protection::Endpoint, Resource::McpEndpoint));
    }
    let challenged =
        site.exchanges().find(|exchange| exchange.answer.as_ref().is_ok_and(is_challenge));
    if let Some(exchange) = challenged {
        return Some((Protection::Challenge, exchange.probe.resource.clone()));
    }
    let description = published::DESCRIPTIONS.iter().find(|resource| {
        published::openapi(site, resource).valid().is_some_and(|(api, _)| api.protected)
    });
    description.map(|resource| (Protection::Api, resource.clone()))
}

/// Whether metadata of OAuth are to be expected: something wants a token, or half of them is there.
pub(crate) fn is_expected(site: &SiteSnapshot) -> bool {
    issuer(site).is_some() || sign(site).is_some()
}

/// The first authorization server that the protected-resource metadata name.
pub(crate) fn issuer(site: &SiteSnapshot) -> Option<Url> {
    let places = [Resource::ProtectedResource, Resource::EndpointProtectedResource];
    places.iter().find_map(|place| {
        let (metadata, response) = published::protected_resource(site, place).valid()?;
        metadata.authorization_servers.iter().find_map(|issuer| web_url(&response.url, issuer))
    })
}

/// The metadata that a 401 names: `WWW-Authenticate: Bearer resource_metadata="..."` (RFC 9728
/// section 5.1).
pub(crate) fn named_metadata(response: &Response) -> Option<Url> {
    let fields = response.headers.all("www-authenticate").iter();
    let mut parameters = fields.filter_map(|field| {
        let (_, value) = field.split_once("resource_metadata")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let quoted = value.strip_prefix('"').and_then(|rest| rest.split('"').next());
        Some(quoted.unwrap_or_else(|| value.split([',', ' ']).next().unwrap_or_default()))
    });
    parameters.find_map(|value| web_url(&response.url, value))
}

fn is_challenge(response: &Response) -> bool {
    let bearer = |field: &String| {
        field.split(',').any(|part| {
            let scheme = part.trim().split(' ').next().unwrap_or_default();
            scheme.eq_ignore_ascii_case("bearer")
        })
    };
    response.status == 401 && response.headers.all("www-authenticate").iter().any(bearer)
}
