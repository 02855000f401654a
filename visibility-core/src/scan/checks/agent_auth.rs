//! `agent-auth`: the way from a 401 to a token, without a human who reads documentation.
//!
//! RFC 9728 names the authorization server, RFC 8414 or `OpenID` Connect Discovery describes it,
//! and PKCE with S256 is what clients of MCP ask for.

use serde_json::json;
use url::Url;

use crate::documents::authorization_server::AuthorizationServer;
use crate::documents::protected_resource::ProtectedResource;
use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome, Verdict};
use crate::rubric::fix::{Build, Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::published::{self, PublishedDocument, mcp, protection};
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::placeholder;

pub(super) const CHECK: Check = Check {
    id: "agent-auth",
    category: Category::Action,
    weight: 4,
    maturity: Maturity::Standard,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        COMPLETE,
        AUTH_MD,
        AGENT_AUTH,
        PROTECTED,
        SERVER_ONLY,
        RESOURCE_ONLY,
        NO_S256,
        ISSUER_MISMATCH,
        RESOURCE_MISMATCH,
        RESOURCE_INVALID,
        SERVER_INVALID,
        OFF_SITE,
        ABSENT,
        NOTHING,
        UNREADABLE,
    ],
    covers: &["OAuth discovery", "OAuth Protected Resource", "OpenID Connect", "auth.md"],
    specs: &[
        Spec { name: "RFC 9728", url: "https://www.rfc-editor.org/rfc/rfc9728" },
        Spec { name: "RFC 8414", url: "https://www.rfc-editor.org/rfc/rfc8414" },
        Spec {
            name: "OpenID Connect Discovery 1.0",
            url: "https://openid.net/specs/openid-connect-discovery-1_0.html",
        },
    ],
    evaluate,
};

const COMPLETE: Outcome = Outcome::pass("complete");
const AUTH_MD: Outcome = Outcome::pass("auth-md");
const AGENT_AUTH: Outcome = Outcome::pass("agent-auth-block");
const PROTECTED: Outcome = Outcome::pass("protected");
const SERVER_ONLY: Outcome = Outcome::warn("server-only");
const RESOURCE_ONLY: Outcome = Outcome::warn("resource-only");
const NO_S256: Outcome = Outcome::warn("no-s256");
const ISSUER_MISMATCH: Outcome = Outcome::warn("issuer-mismatch");
const RESOURCE_MISMATCH: Outcome = Outcome::warn("resource-mismatch");
const RESOURCE_INVALID: Outcome = Outcome::fail("resource-invalid");
const SERVER_INVALID: Outcome = Outcome::fail("server-invalid");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const ABSENT: Outcome = Outcome::fail("absent");
const NOTHING: Outcome = Outcome::not_applicable("nothing-protected");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

const RESOURCES: [Resource; 2] = [Resource::ProtectedResource, Resource::EndpointProtectedResource];
/// The server that the resource names comes before the one of the site itself.
const SERVERS: [Resource; 3] = [
    Resource::NamedAuthorizationServer,
    Resource::AuthorizationServer,
    Resource::OpenIdConfiguration,
];

fn evaluate(site: &SiteSnapshot) -> Finding {
    let resource =
        RESOURCES.iter().find_map(|place| published::protected_resource(site, place).valid());
    let server = SERVERS.iter().find_map(|place| {
        let (metadata, response) = published::authorization_server(site, place).valid()?;
        Some((place, metadata, response))
    });
    // A valid document makes up for a broken one of the same kind.
    let mut detections = Vec::new();
    if resource.is_none() {
        detections.extend(resource_faults(site));
    }
    if server.is_none() {
        detections.extend(server_faults(site));
    }
    match (&resource, &server) {
        (Some((resource, _)), Some((place, server, _))) => {
            detections.extend(judge_server(site, place, server, Some(resource)));
            detections.push(COMPLETE.with("issuer", &server.issuer));
        }
        (None, Some((place, server, _))) => {
            detections.extend(judge_server(site, place, server, None));
            detections.insert(0, SERVER_ONLY.with("issuer", &server.issuer));
        }
        (Some((resource, _)), None) => {
            let named = resource.authorization_servers.join(", ");
            detections.insert(0, RESOURCE_ONLY.with("servers", named));
        }
        (None, None) if detections.is_empty() => return nothing(site),
        (None, None) => {}
    }
    if let Some((resource, response)) = &resource {
        detections.extend(judge_resource(site, resource, response));
    }
    detections.extend(extras(site, server.as_ref().map(|(_, server, _)| server)));
    finish(site, Finding::from_worst(detections).unwrap_or_else(|| nothing(site)))
}

fn finish(site: &SiteSnapshot, finding: Finding) -> Finding {
    let finding = finding.with_evidence(evidence(site));
    let is_done = matches!(finding.verdict(), Verdict::Pass | Verdict::NotApplicable);
    if is_done { finding } else { finding.with_fix(fix(site)) }
}

/// Neither document is there, and neither is broken.
fn nothing(site: &SiteSnapshot) -> Finding {
    let refused = RESOURCES.iter().any(|r| published::protected_resource(site, r).is_unreadable())
        || SERVERS.iter().any(|r| published::authorization_server(site, r).is_unreadable());
    let sign = protection::sign(site);
    let finding = match sign {
        Some(_) if refused => Finding::new(UNREADABLE.detected()),
        None if refused && site.page().is_none() => Finding::new(UNREADABLE.detected()),
        None if site.home().is_none() => Finding::new(UNREADABLE.detected()),
        Some((sign, _)) => Finding::new(ABSENT.with("sign", sign.as_str())),
        None => Finding::new(NOTHING.detected()),
    };
    let seen = sign.and_then(|(_, resource)| site.evidence(&resource));
    finish(site, finding.with_evidence(seen))
}

/// The protected resources that are published and broken.
fn resource_faults(site: &SiteSnapshot) -> Vec<Detection> {
    let documents = RESOURCES.iter().map(|place| published::protected_resource(site, place));
    documents.filter_map(|document| fault(&document, RESOURCE_INVALID)).collect()
}

/// The authorization servers that are published and broken.
fn server_faults(site: &SiteSnapshot) -> Vec<Detection> {
    let documents = SERVERS.iter().map(|place| published::authorization_server(site, place));
    documents.filter_map(|document| fault(&document, SERVER_INVALID)).collect()
}

fn fault<T>(document: &PublishedDocument<'_, T>, invalid: Outcome) -> Option<Detection> {
    match document {
        PublishedDocument::Invalid(problem, _) => {
            Some(invalid.with_note("problem", problem.note.clone()))
        }
        PublishedDocument::OffSite(response) => {
            Some(OFF_SITE.with("host", published::host(response)))
        }
        _ => None,
    }
}

/// RFC 8414 section 3.3: the issuer is the one whose metadata were asked for; and it is one that
/// the resource names.
fn judge_server(
    site: &SiteSnapshot,
    place: &Resource,
    server: &AuthorizationServer,
    resource: Option<&ProtectedResource>,
) -> Vec<Detection> {
    let mut found = Vec::new();
    let named =
        resource.map(|resource| resource.authorization_servers.as_slice()).unwrap_or_default();
    let asked = site.exchange(place).map(|exchange| &exchange.probe.url);
    let is_own = asked.is_some_and(|url| server.is_issuer_of(url));
    let is_named = named.is_empty() || named.iter().any(|issuer| same(issuer, &server.issuer));
    if !is_own || !is_named {
        let expected = named.first().map_or(site.origin().as_str(), String::as_str);
        let mismatch = ISSUER_MISMATCH.with("issuer", &server.issuer);
        found.push(mismatch.with("expected", expected));
    }
    if !server.supports_s256() {
        found.push(NO_S256.with("issuer", &server.issuer));
    }
    found
}

/// RFC 9728 section 3.3: the resource is the one whose metadata were asked for. A path below the
/// authority is taken, as most MCP servers publish one file for their endpoint.
fn judge_resource(
    site: &SiteSnapshot,
    resource: &ProtectedResource,
    response: &Response,
) -> Option<Detection> {
    let named = Url::parse(&resource.resource).ok().map(|url| url.origin());
    let endpoint = mcp::endpoint(site).map(|endpoint| endpoint.origin());
    let is_own = named.is_some() && (named == Some(response.url.origin()) || named == endpoint);
    (!is_own).then(|| {
        let mismatch = RESOURCE_MISMATCH.with("resource", &resource.resource);
        mismatch.with("expected", site.origin())
    })
}

/// Whether two issuers are the same but for a slash at the end.
fn same(left: &str, right: &str) -> bool {
    left.trim_end_matches('/') == right.trim_end_matches('/')
}

/// What was seen beside the two documents.
fn extras(site: &SiteSnapshot, server: Option<&AuthorizationServer>) -> Vec<Detection> {
    let guide = matches!(site.document(&Resource::AuthMd), DocumentState::Present(response)
        if response.text().to_lowercase().contains("regist"));
    let mut seen = Vec::new();
    seen.extend(guide.then(|| AUTH_MD.detected()));
    let block = server.is_some_and(|server| server.has_agent_auth);
    seen.extend(block.then(|| AGENT_AUTH.detected()));
    seen.extend(protection::sign(site).map(|(sign, _)| PROTECTED.with("sign", sign.as_str())));
    seen
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    let chain = RESOURCES.iter().chain(&SERVERS).chain([&Resource::AuthMd]);
    chain.filter_map(|resource| site.evidence(resource)).collect()
}

/// The metadata of the resource and of its authorization server, with placeholders for what the site
/// does not say.
fn fix(site: &SiteSnapshot) -> Fix {
    let origin = site.origin();
    let known = SERVERS
        .iter()
        .find_map(|place| published::authorization_server(site, place).valid())
        .map(|(server, _)| server);
    let protected = mcp::endpoint(site).unwrap_or_else(|| origin.clone());
    let issuer = protection::issuer(site)
        .map(String::from)
        .or_else(|| known.as_ref().map(|server| server.issuer.clone()))
        .unwrap_or_else(|| origin.to_string());
    let base = issuer.trim_end_matches('/');
    let resource = Edit::Document {
        path: "/.well-known/oauth-protected-resource".to_owned(),
        media_type: "application/json".to_owned(),
        content: published::pretty(&json!({
            "resource": protected.as_str(),
            "authorization_servers": [base],
            "bearer_methods_supported": ["header"],
        })),
    };
    // The metadata of a server elsewhere are the work of that server.
    let is_own = base == origin.as_str().trim_end_matches('/');
    if !is_own || known.as_ref().is_some_and(AuthorizationServer::supports_s256) {
        return Fix::new(resource);
    }
    let server = Edit::Document {
        path: "/.well-known/oauth-authorization-server".to_owned(),
        media_type: "application/json".to_owned(),
        content: published::pretty(&json!({
            "issuer": base,
            "authorization_endpoint": placeholder::placeholder("AUTHORIZATION_ENDPOINT"),
            "token_endpoint": placeholder::placeholder("TOKEN_ENDPOINT"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
        })),
    };
    let url = placeholder::placeholder("AUTHORIZATION_ENDPOINT");
    Fix::new(Edit::Build { what: Build::AuthorizationServer, url })
        .and(resource)
        .and(server)
        .with_input("AUTHORIZATION_ENDPOINT", format!("{base}/authorize"))
        .with_input("TOKEN_ENDPOINT", format!("{base}/token"))
}
