//! Whether an endpoint of a site requires a token, and which server issues tokens.

use url::Url;

use crate::fetch::{Resource, Response};
use crate::scan::facts::published::{self, web_url};
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
        site.exchanges().find(|exchange| exchange.result.as_ref().is_ok_and(is_challenge));
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
    response.status == 401
        && response.headers.all("www-authenticate").iter().any(|field| {
            field.split(',').any(|part| {
                let scheme = part.trim().split(' ').next().unwrap_or_default();
                scheme.eq_ignore_ascii_case("bearer")
            })
        })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::fetch::{BodyEnd, Headers};

    use super::*;

    fn refusal(field: &str) -> Response {
        Response {
            url: Url::parse("https://example.com/mcp").unwrap(),
            status: 401,
            version: "HTTP/1.1".to_owned(),
            headers: Headers::from_iter([("www-authenticate", field)]),
            body: Bytes::new(),
            body_end: BodyEnd::Complete,
            wire_bytes: 0,
            hops: Vec::new(),
            ttfb_ms: 1,
            total_ms: 1,
            retries: 0,
            tls: None,
        }
    }

    /// RFC 9728 section 5.1.
    #[test]
    fn a_401_names_the_metadata() {
        let cases = [
            (r#"Bearer resource_metadata="https://example.com/a""#, Some("https://example.com/a")),
            (
                r#"Bearer realm="x", resource_metadata = "/a", scope="b""#,
                Some("https://example.com/a"),
            ),
            (
                "Bearer resource_metadata=https://example.com/a, scope=b",
                Some("https://example.com/a"),
            ),
            (r#"Bearer resource_metadata="file:///a""#, None),
            (r#"Bearer realm="x""#, None),
            ("Bearer resource_metadata", None),
        ];
        for (field, expected) in cases {
            let named = named_metadata(&refusal(field));
            assert_eq!(named.as_ref().map(Url::as_str), expected, "{field}");
        }
    }

    #[test]
    fn only_a_challenge_for_a_bearer_token_asks_for_one() {
        for (field, expected) in [
            ("Bearer", true),
            ("Basic realm=\"a\", bearer realm=\"b\"", true),
            ("Basic realm=\"a\"", false),
            ("Bearerish", false),
        ] {
            assert_eq!(is_challenge(&refusal(field)), expected, "{field}");
        }
    }
}
