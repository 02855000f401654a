//! OAuth metadata: of the protected resource (RFC 9728) and of the authorization server (RFC 8414).
//!
//! All documents are served below the address of the service. Where that has a path, RFC 8414 section 3.1
//! wants the well-known part before it: at the root of the application that the service is a part of, which
//! has to hand that on.

use serde_json::{Value, json};
use visibility_core::accounts::scope::Scope;

use crate::access::audience::MCP_PATHS;
use crate::access::audience::OFFLINE_ACCESS;
use crate::access::challenge::RESOURCE_METADATA;
use crate::settings::Settings;
use crate::site::Document;

/// Where the metadata of the authorization server are.
const SERVER_METADATA: &str = "/.well-known/oauth-authorization-server";

/// The documents by their paths; those of the authorization server only if it is ours.
pub(crate) fn documents(settings: &Settings) -> Vec<(&'static str, Document)> {
    let base = settings.public_url();
    let mut documents = vec![(RESOURCE_METADATA, resource_document(settings, MCP_PATHS[0]))];
    for (path, resource) in RESOURCE_PATHS.into_iter().zip(MCP_PATHS) {
        documents.push((path, resource_document(settings, resource)));
    }
    if settings.oauth.issuer.is_none() {
        let server = document(&server(&base, settings.oauth.client_documents));
        for path in SERVER_PATHS {
            documents.push((path, server.clone()));
        }
    }
    documents
}

/// Where the metadata of the paths of the MCP endpoint are, in their order: RFC 9728 section 3.1.
const RESOURCE_PATHS: [&str; 5] = [
    "/.well-known/oauth-protected-resource/api/mcp/v1/mcp",
    "/.well-known/oauth-protected-resource/api/mcp/v1/http",
    "/.well-known/oauth-protected-resource/api/mcp/v1/streamable-http",
    "/.well-known/oauth-protected-resource/api/mcp/v1/sse",
    "/.well-known/oauth-protected-resource/mcp",
];

/// Where clients look for the authorization server: some put the path of the resource behind.
const SERVER_PATHS: [&str; 6] = [
    SERVER_METADATA,
    "/.well-known/oauth-authorization-server/api/mcp/v1/mcp",
    "/.well-known/oauth-authorization-server/api/mcp/v1/http",
    "/.well-known/oauth-authorization-server/api/mcp/v1/streamable-http",
    "/.well-known/oauth-authorization-server/api/mcp/v1/sse",
    "/.well-known/oauth-authorization-server/mcp",
];

fn resource_document(settings: &Settings, path: &str) -> Document {
    let base = settings.public_url();
    let issuer = settings.oauth.issuer.clone().unwrap_or_else(|| base.clone());
    document(&json!({
        "resource": format!("{base}{path}"),
        "authorization_servers": [issuer],
        "scopes_supported": Scope::FOR_PROGRAMS.map(Scope::as_str),
        "bearer_methods_supported": ["header"],
        "resource_name": "visibility",
        "resource_documentation": format!("{base}/docs"),
    }))
}

fn server(base: &str, has_documents: bool) -> Value {
    let scopes = Scope::FOR_PROGRAMS.map(Scope::as_str).into_iter().chain([OFFLINE_ACCESS]);
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "revocation_endpoint": format!("{base}/revoke"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "client_id_metadata_document_supported": has_documents,
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": scopes.collect::<Vec<_>>(),
        "service_documentation": format!("{base}/docs"),
        "ui_locales_supported": ["en", "tr"],
    })
}

fn document(value: &Value) -> Document {
    Document::file("application/json", format!("{value:#}\n")).cacheable_for_an_hour()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_of_the_endpoint_has_its_document() {
        for (metadata, path) in RESOURCE_PATHS.into_iter().zip(MCP_PATHS) {
            assert_eq!(metadata, format!("{RESOURCE_METADATA}{path}"));
        }
        for (metadata, path) in SERVER_PATHS.into_iter().zip([""].into_iter().chain(MCP_PATHS)) {
            assert_eq!(metadata, format!("{SERVER_METADATA}{path}"));
        }
        assert_eq!(MCP_PATHS.len(), RESOURCE_PATHS.len());
    }
}
