// A client whose types come from the description, against the running service.
import assert from "node:assert/strict";
import process from "node:process";

import createClient from "openapi-fetch";

import type { components, paths } from "./api.js";

type ErrorCode = components["schemas"]["ErrorCode"];
type Tier = components["schemas"]["Tier"];

const { BASE, KEY } = process.env;
assert(BASE !== undefined && KEY !== undefined, "run this with tests/outside/serve");

const anyone = createClient<paths>({ baseUrl: BASE });
const client = createClient<paths>({ baseUrl: BASE, headers: { Authorization: `Bearer ${KEY}` } });

async function index(): Promise<void> {
  const { data } = await anyone.GET("/api/v1");
  assert(data !== undefined);
  assert.equal(data.name, "visibility");
  assert.equal(data.openapi, `${BASE}/api/v1/openapi.json`);
  const auth = (path: string) =>
    data.endpoints.find((endpoint) => endpoint.method === "POST" && endpoint.path === path)?.auth;
  assert.equal(auth("/api/v1/agent-readiness"), "bearer" satisfies components["schemas"]["Auth"]);
  assert.equal(auth("/api/public/audit"), "none" satisfies components["schemas"]["Auth"]);

  const turkish = await anyone.GET("/api/v1", { params: { query: { lang: "tr" } } });
  assert.notEqual(turkish.data?.description, data.description);
}

async function health(): Promise<void> {
  const { data } = await anyone.GET("/api/v1/health");
  assert.equal(data?.status, "ok");
}

async function scan(): Promise<void> {
  const body = { domain: "parcelwise.com" };
  const first = await client.POST("/api/v1/agent-readiness", { body });
  assert(first.data !== undefined, JSON.stringify(first.error));
  assert.equal(first.data.cached, false);
  const score: number = first.data.score;
  const tier: Tier = first.data.tier;
  assert(score >= 90 && score <= 100);
  assert.equal(tier, "native");
  assert.equal(first.data.checks.length, 21);
  assert.equal(first.data.agents.length, 27);
  const robots = first.data.checks.find((check) => check.id === "robots-txt");
  assert.equal(robots?.status, "pass");
  assert(first.data.agents.every((agent) => agent.probe.verdict.length > 0));

  const again = await client.POST("/api/v1/agent-readiness", { body, params: { query: { lang: "tr" } } });
  assert.equal(again.data?.cached, true);
  assert.equal(again.data?.lang, "tr");
  assert.equal(again.data?.scanned_at, first.data.scanned_at);

  const kept = await client.GET("/api/v1/agent-readiness/{domain}", { params: { path: body } });
  assert.equal(kept.data?.score, score);
  const etag = kept.response.headers.get("etag");
  assert(etag !== null);
  const unchanged = await client.GET("/api/v1/agent-readiness/{domain}", {
    params: { path: body, header: { "If-None-Match": etag } },
    parseAs: "text",
  });
  assert.equal(unchanged.response.status, 304);
}

async function audit(): Promise<void> {
  const body = { url: "https://parcelwise.com/" };
  const { data, response } = await anyone.POST("/api/public/audit", { body });
  assert(data !== undefined);
  assert.equal(response.status, 201);
  assert.deepEqual(Object.keys(data).slice(0, 4), ["id", "url", "gpt_visibility_score", "status"]);
  assert.equal(data.status, "completed");
  assert.equal(data.signals.length, 35);

  const kept = await anyone.GET("/api/public/audit/{id}", { params: { path: { id: data.id } } });
  assert(typeof kept.data === "object");
  assert.equal(kept.data.gpt_visibility_score, data.gpt_visibility_score);
}

async function refused(): Promise<void> {
  const wrong = await client.POST("/api/v1/agent-readiness", { body: { domain: "https://example.com/" } });
  assert.equal(wrong.response.status, 400);
  assert.equal(wrong.error?.error.code, "INVALID_DOMAIN" satisfies ErrorCode);
  assert((wrong.error?.error.hint ?? "").length > 0);

  const stranger = await anyone.POST("/api/v1/agent-readiness", { body: { domain: "example.com" } });
  assert.equal(stranger.response.status, 401);
  assert.equal(stranger.error?.error.code, "UNAUTHORIZED" satisfies ErrorCode);
  assert.match(stranger.response.headers.get("www-authenticate") ?? "", /^Bearer/);
}

for (const step of [index, health, scan, audit, refused]) {
  await step();
  console.log(`${step.name}: ok`);
}
