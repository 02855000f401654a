//! Documents for agents that are valid: a fixture breaks them to see what happens.

/// The one artifact of [`skills`].
pub const SKILL: &str = "# Measure\n\nHow to measure.\n";

/// SHA-256 of [`SKILL`].
const SKILL_DIGEST: &str = "a08cdf503357b95a39ca7a451496c6ae5cdd69c21ec994d9910ac475824ef734";

/// An AI catalog that names the card at `/mcp/server-card`.
pub fn ai_catalog(host: &str) -> String {
    format!(
        r#"{{
  "specVersion": "1.0",
  "entries": [
    {{
      "identifier": "urn:air:{host}:tools",
      "displayName": "Example tools",
      "type": "application/mcp-server-card+json",
      "url": "https://{host}/mcp/server-card",
      "representativeQueries": ["calibrate a scale", "order a certificate"]
    }}
  ]
}}"#
    )
}

/// An MCP server card, version 1, with the endpoint `/mcp`.
pub fn mcp_card(host: &str) -> String {
    format!(
        r#"{{
  "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  "name": "com.example/tools",
  "version": "1.0.0",
  "description": "Measuring tools",
  "remotes": [{{ "type": "streamable-http", "url": "https://{host}/mcp" }}]
}}"#
    )
}

/// An MCP server card from before version 1, with the endpoint `/mcp`.
pub fn legacy_mcp_card(host: &str) -> String {
    format!(
        r#"{{
  "serverInfo": {{ "name": "tools", "version": "1.0.0" }},
  "transport": {{ "type": "streamable-http", "endpoint": "https://{host}/mcp" }}
}}"#
    )
}

/// An A2A card, version 1.
pub fn a2a_card() -> String {
    r#"{
  "name": "Example agent",
  "description": "Answers questions about measuring",
  "version": "1.0.0",
  "supportedInterfaces": [
    { "url": "https://example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
  ],
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [
    { "id": "ask", "name": "Ask", "description": "Answers a question", "tags": ["help"] }
  ]
}"#
    .to_owned()
}

/// An A2A card, version 0.3.
pub fn a2a_card_0_3() -> String {
    r#"{
  "protocolVersion": "0.3.0",
  "name": "Example agent",
  "description": "Answers questions about measuring",
  "version": "1.0.0",
  "url": "https://example.com/a2a",
  "preferredTransport": "JSONRPC",
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [
    { "id": "ask", "name": "Ask", "description": "Answers a question", "tags": ["help"] }
  ]
}"#
    .to_owned()
}

/// A skills index, version 0.2.0, with [`SKILL`].
pub fn skills() -> String {
    format!(
        r#"{{
  "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
  "skills": [
    {{
      "name": "measure",
      "type": "skill-md",
      "description": "How to measure",
      "url": "/.well-known/agent-skills/measure/SKILL.md",
      "digest": "sha256:{SKILL_DIGEST}"
    }}
  ]
}}"#
    )
}

/// An API description with one operation; `extra` is put before its paths.
pub fn openapi(extra: &str) -> String {
    format!(
        r#"{{"openapi":"3.1.0","info":{{"title":"Example","version":"1"}},{extra}"paths":{{"/things":{{"get":{{"operationId":"things","responses":{{}}}}}}}}}}"#
    )
}

/// An API catalog that names one description.
pub fn api_catalog(description: &str) -> String {
    format!(
        r#"{{"linkset":[{{"anchor":"https://example.com/api","service-desc":[{{"href":"{description}","type":"application/json"}}]}}]}}"#
    )
}

/// Metadata of a protected resource.
pub fn protected_resource(resource: &str, issuer: &str) -> String {
    format!(r#"{{"resource":"{resource}","authorization_servers":["{issuer}"]}}"#)
}

/// Metadata of an authorization server, with what `OpenID` Connect wants, too.
pub fn authorization_server(issuer: &str) -> String {
    format!(
        r#"{{"issuer":"{issuer}","authorization_endpoint":"{issuer}/authorize","token_endpoint":"{issuer}/token","jwks_uri":"{issuer}/jwks","response_types_supported":["code"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"],"code_challenge_methods_supported":["S256"]}}"#
    )
}

/// A UCP profile.
pub fn ucp(host: &str) -> String {
    format!(
        r#"{{"ucp":{{"version":"2026-04-08","services":{{"dev.ucp.shopping":[{{"version":"2026-04-08","transport":"rest","endpoint":"https://{host}/ucp/v1"}}]}},"capabilities":{{"dev.ucp.shopping.checkout":[{{"version":"2026-04-08"}}]}},"payment_handlers":{{}}}}}}"#
    )
}

/// An ACP profile.
pub fn acp(host: &str) -> String {
    format!(
        r#"{{"protocol":{{"name":"acp","version":"2026-04-17","supported_versions":["2026-04-17"]}},"api_base_url":"https://{host}/acp","transports":["rest"],"capabilities":{{"services":["checkout"]}}}}"#
    )
}

/// An x402 manifest.
pub fn x402(host: &str) -> String {
    format!(
        r#"{{"version":1,"x402Version":2,"resources":["https://{host}/paid"],"accepts":[{{"scheme":"exact","network":"eip155:8453","amount":"1000","asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","payTo":"0x0000000000000000000000000000000000000001"}}]}}"#
    )
}
