// Both TypeScript SDKs against the running service: node clients.js, run by tests/outside/serve.
import assert from "node:assert/strict";
import process from "node:process";

import * as v2 from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { UnauthorizedError as UnauthorizedV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { signIn } from "./sign-in.js";

const { BASE, KEY, USERNAME: name, PASSWORD: password, CLIENT_METADATA, VISIBILITY, SITE_OPTIONS } = process.env;
const PATH = "/api/mcp/v1/mcp";
const CALLBACK = "http://127.0.0.1:7/callback";
const SITE = "parcelwise.com";

// Each SDK in each era that it speaks.
const SDKS = [
  {
    title: "TypeScript SDK 1, 2025-11-25",
    version: "2025-11-25",
    client: () => new ClientV1({ name: "outside", version: "1" }),
    Http: HttpV1,
    Stdio: StdioV1,
    Unauthorized: UnauthorizedV1,
    finish: (transport, query) => transport.finishAuth(query.get("code")),
  },
  ...["auto", "legacy"].map((mode) => ({
    title: `TypeScript SDK 2, ${mode === "auto" ? "2026-07-28" : "2025-11-25"}`,
    version: mode === "auto" ? "2026-07-28" : "2025-11-25",
    client: () => new v2.Client({ name: "outside", version: "1" }, { versionNegotiation: { mode } }),
    Http: v2.StreamableHTTPClientTransport,
    Stdio: StdioV2,
    Unauthorized: v2.UnauthorizedError,
    finish: (transport, query) => transport.finishAuth(query),
  })),
];

// A `fetch` that remembers what was asked and answered.
function wire() {
  const seen = [];
  const remembering = async (url, init) => {
    const response = await fetch(url, init);
    seen.push({ path: new URL(url).pathname, status: response.status, headers: response.headers });
    return response;
  };
  const statuses = (path) => seen.filter((one) => one.path === path).map(({ status }) => status);
  return { seen, statuses, fetch: remembering };
}

// What an application does for its SDK: keeps things, and opens a browser.
class Login {
  redirectUrl = CALLBACK;
  clientMetadata = {
    client_name: "TypeScript SDK",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };

  constructor(clientMetadataUrl) {
    this.clientMetadataUrl = clientMetadataUrl;
  }

  state = () => (this.expected = crypto.randomUUID());
  clientInformation = () => this.kept;
  saveClientInformation = (client) => (this.kept = client);
  tokens = () => this.given;
  saveTokens = (tokens) => (this.given = tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => (this.verifier = verifier);
  discoveryState = () => this.discovered;
  saveDiscoveryState = (discovered) => (this.discovered = discovered);

  async redirectToAuthorization(url) {
    const { location } = await signIn(url.href, { name, password });
    assert(location.startsWith(`${CALLBACK}?`), location);
    this.query = new URL(location).searchParams;
    assert.equal(this.query.get("state"), this.expected);
    assert.equal(this.query.get("iss"), BASE);
  }
}

// Everything that an agent does.
async function works(client, sdk) {
  const { version } = sdk;
  assert.equal(client.getServerVersion()?.name, "visibility");
  if (client.getNegotiatedProtocolVersion) assert.equal(client.getNegotiatedProtocolVersion(), version);

  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const wanted of ["scan_domain", "list_checks"]) assert(names.includes(wanted), `${names}`);
  assert(tools.every(({ annotations }) => annotations?.readOnlyHint === true));

  const checks = await client.callTool({ name: "list_checks", arguments: {} });
  assert.equal(checks.structuredContent.checks.length, 21);

  const scan = await client.callTool({ name: "scan_domain", arguments: { domain: SITE } });
  assert(!scan.isError, JSON.stringify(scan));
  assert(scan.structuredContent.score >= 90, JSON.stringify(scan.structuredContent));

  const refused = await client.callTool({ name: "scan_domain", arguments: { domain: "127.0.0.1" } });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /^INVALID_DOMAIN: /);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), { code: -32602 });

  const { resourceTemplates } = await client.listResourceTemplates();
  assert(resourceTemplates.some(({ uriTemplate }) => uriTemplate === "visibility://scan/{domain}"));
  const { resources } = await client.listResources();
  assert(resources.some(({ uri }) => uri === "visibility://checks"));
  const { contents } = await client.readResource({ uri: `visibility://scan/${SITE}` });
  assert(contents[0].text.includes(SITE));
  const { prompts } = await client.listPrompts();
  assert(prompts.some((prompt) => prompt.name === "fix_agent_readiness"));
  const { messages } = await client.getPrompt({ name: "fix_agent_readiness", arguments: { domain: SITE } });
  assert(messages[0].content.text.includes(SITE));
}

async function connected(sdk, transport, use) {
  const client = sdk.client();
  await client.connect(transport);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

const to = (sdk, options) => new sdk.Http(new URL(BASE + PATH), options);

async function noCredentials(sdk) {
  const { seen, fetch } = wire();
  await assert.rejects(connected(sdk, to(sdk, { fetch }), () => assert.fail("let in without credentials")), (error) => {
    assert(!(error instanceof assert.AssertionError), error.message);
    return true;
  });
  assert.equal(seen[0].status, 401);
  const challenge = seen[0].headers.get("www-authenticate");
  assert(challenge.includes(`resource_metadata="${BASE}/.well-known/oauth-protected-resource${PATH}"`), challenge);
}

async function withKey(sdk) {
  const requestInit = { headers: { Authorization: `Bearer ${KEY}` } };
  await connected(sdk, to(sdk, { requestInit }), (client) => works(client, sdk));
}

async function withLogin(sdk, clientMetadataUrl) {
  const authProvider = new Login(clientMetadataUrl);
  const first = wire();
  const transport = to(sdk, { authProvider, fetch: first.fetch });
  await assert.rejects(sdk.client().connect(transport), sdk.Unauthorized);
  await sdk.finish(transport, authProvider.query);
  await connected(sdk, to(sdk, { authProvider, fetch: first.fetch }), (client) => works(client, sdk));
  assert.deepEqual(first.statuses("/register"), clientMetadataUrl ? [] : [201]);
  assert.deepEqual(first.statuses("/token"), [200]);
  if (clientMetadataUrl) assert.equal(authProvider.kept.client_id, clientMetadataUrl);
  const before = authProvider.given;
  assert.match(before.access_token, /^service_oat_/);
  assert.match(before.refresh_token, /^service_ort_/);

  // The same again when the access token has expired: it is refreshed without a sign-in.
  authProvider.given = { ...before, access_token: "service_oat_over" };
  authProvider.redirectToAuthorization = () => assert.fail("the client asks for another sign-in");
  const again = wire();
  await connected(sdk, to(sdk, { authProvider, fetch: again.fetch }), async (client) => {
    assert((await client.listTools()).tools.length > 0);
  });
  assert.deepEqual(again.statuses("/token"), [200]);
  assert.notEqual(authProvider.given.access_token, before.access_token);
  assert.notEqual(authProvider.given.refresh_token, before.refresh_token);
}

async function standardInput(sdk) {
  const transport = new sdk.Stdio({ command: VISIBILITY, args: ["mcp", ...SITE_OPTIONS.split(" ")], stderr: "inherit" });
  await connected(sdk, transport, (client) => works(client, sdk));
}

const cases = SDKS.flatMap((sdk) => [
  [`${sdk.title}: no credentials`, () => noCredentials(sdk)],
  [`${sdk.title}: key`, () => withKey(sdk)],
  [`${sdk.title}: login`, () => withLogin(sdk)],
  [`${sdk.title}: login with a client metadata document`, () => withLogin(sdk, CLIENT_METADATA)],
  [`${sdk.title}: standard input`, () => standardInput(sdk)],
]);
let failed = 0;
for (const [title, run] of cases) {
  try {
    await run();
    console.log(`${title}: ok`);
  } catch (error) {
    failed += 1;
    console.log(`${title}: FAILED`);
    console.error(error);
  }
}
console.log(`test result: ${failed > 0 ? "FAILED" : "ok"}. ${cases.length - failed} passed; ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
