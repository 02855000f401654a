// The conformance suite of MCP, three times: with fixtures, against the product as it is, and against its
// authorization server. Run by tests/outside/serve: `node conformance.js CONFORMANCE-SERVER`.
//
// The suite itself compares with the baseline; here the same is done for what it runs and does not score, for
// lines that nothing in the suite is about any more, and for lines without a reason.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

import { signIn } from "./sign-in.js";

const { BASE, KEY, USERNAME: name, PASSWORD: password, BASELINE: baselineFile } = process.env;
const here = path.dirname(fileURLToPath(import.meta.url));
const SUITE = path.join(here, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const MCP = "/api/mcp/v1/mcp";
const REVISIONS = ["2026-07-28", "2025-11-25"];
// What the suite can ask of any server, because it needs no tool of its own.
const WITHOUT_FIXTURES = {
  "2026-07-28": [
    "tools-list",
    "resources-list",
    "prompts-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "server-sse-multiple-streams",
    "input-required-result-unsupported-methods",
    "http-header-validation",
  ],
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
  ],
};

const results = mkdtempSync(path.join(os.tmpdir(), "conformance-"));
const children = [];
let passed = 0;
let failed = 0;

function count(what, problems) {
  if (problems.length === 0) passed += 1;
  else failed += 1;
  console.log(`${what}: ${problems.length === 0 ? "ok" : "FAILED"}`);
  for (const problem of problems) console.log(`    ${problem}`);
}

// Starts a program that prints one line when it is ready and ends with standard input.
async function started(program, ...given) {
  const child = spawn(program, given, { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  for await (const line of readline.createInterface({ input: child.stdout })) return line;
  throw new Error(`${program} ended before it was ready`);
}

const proxied = (base, key) => started(process.execPath, path.join(here, "bearer-proxy.js"), base, key);

// Runs the suite: how it ended, and what it said.
async function suite(given, heard = () => {}) {
  const child = spawn(process.execPath, [SUITE, ...given], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let said = "";
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.stderr.on("data", (chunk) => (said += chunk));
  for await (const line of readline.createInterface({ input: child.stdout })) {
    said += `${line}\n`;
    heard(line);
  }
  return { status: await ended, said };
}

// What the suite wrote down: the checks of each scenario.
function checked(folder) {
  const files = globSync("*/checks.json", { cwd: folder });
  return new Map(
    files.toSorted().map((file) => {
      const scenario = path.dirname(file).replace(/^(server|authorization)-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
      return [scenario, JSON.parse(readFileSync(path.join(folder, file), "utf8"))];
    }),
  );
}

const isBad = ({ status }) => status === "FAILURE" || status === "WARNING";
const describe = ({ id, status, errorMessage, details }) =>
  `${id}: ${status}: ${errorMessage ?? ""} ${JSON.stringify(details ?? {}).slice(0, 1500)}`;

function baseline() {
  const lines = readFileSync(baselineFile, "utf8").split("\n");
  const entries = new Map();
  const bare = [];
  lines.forEach((line, number) => {
    const entry = /^ {2}- (\S+)$/.exec(line)?.[1];
    if (entry === undefined) return;
    if (!/^ {2}# .{10}/.test(lines[number - 1])) bare.push(`no reason for ${entry}`);
    entries.set(entry, false);
  });
  count("each line of the baseline has a reason", bare);
  return entries;
}

// Both sets of requirements, with the tools that the suite wants.
async function withFixtures(server) {
  const [base, key] = (await started(server)).split(" ");
  const proxy = await proxied(base, key);
  const known = baseline();
  for (const revision of REVISIONS) {
    const folder = path.join(results, revision);
    const given = ["--url", proxy + MCP, "--requirements", revision, "--expected-failures", baselineFile];
    const { status, said } = await suite(["server", ...given, "-o", folder]);
    for (const [scenario, checks] of checked(folder)) {
      const bad = checks.filter(isBad);
      const unexpected = bad.filter(({ id }) => {
        const entry = [scenario, `${scenario}:${id}`].find((entry) => known.has(entry));
        if (entry !== undefined) known.set(entry, true);
        return entry === undefined;
      });
      count(`${revision}: ${scenario}`, unexpected.map(describe));
    }
    count(`${revision}: the suite agrees`, status === 0 ? [] : [said.slice(said.indexOf("=== SUMMARY"))]);
  }
  const stale = [...known].filter(([, isMet]) => !isMet).map(([entry]) => `nothing fails that ${entry} is for`);
  count("each line of the baseline is of use", stale);
}

async function withoutFixtures() {
  const proxy = await proxied(BASE, KEY);
  for (const [revision, scenarios] of Object.entries(WITHOUT_FIXTURES)) {
    for (const scenario of scenarios) {
      const folder = path.join(results, `${revision}-${scenario}`);
      const given = ["--url", proxy + MCP, "--scenario", scenario, "--spec-version", revision, "-o", folder];
      const { status, said } = await suite(["server", ...given]);
      const checks = [...checked(folder).values()].flat();
      const problems = checks.filter(isBad).map(describe);
      if (status !== 0 || checks.length === 0) problems.push(`ended with ${status}: ${said.slice(-1500)}`);
      count(`product, ${revision}: ${scenario}`, problems);
    }
  }
}

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// The suite is the client and prints what a person opens in a browser.
async function authorization() {
  const port = await freePort();
  const callback = `http://127.0.0.1:${port}/callback`;
  const registered = await fetch(`${BASE}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Conformance", redirect_uris: [callback] }),
  });
  assert.equal(registered.status, 201, await registered.clone().text());
  const { client_id: client } = await registered.json();

  let browser = Promise.resolve();
  const folder = path.join(results, "authorization");
  const given = ["--url", BASE, "--client-id", client, "--port", `${port}`, "--resource", BASE + MCP, "-o", folder];
  const { status, said } = await suite(["authorization", ...given], (line) => {
    if (!line.startsWith(`${BASE}/`) || !line.includes("code_challenge=")) return;
    browser = signIn(line, { name, password }).then(({ location }) => fetch(location));
    // The browser does not come back: the suite would wait for minutes.
    browser.catch(() => children.at(-1).kill());
  });
  let problem;
  await browser.catch((error) => (problem = error));
  const scenarios = checked(folder);
  for (const [scenario, checks] of scenarios) count(`authorization: ${scenario}`, checks.filter(isBad).map(describe));
  const isWhole = status === 0 && scenarios.size >= 2 && problem === undefined;
  count("authorization: the suite agrees", isWhole ? [] : [`${problem ?? ""} ${said}`]);
}

try {
  for (const part of [() => withFixtures(process.argv[2]), withoutFixtures, authorization]) {
    await part().catch((error) => count(part.name || "withFixtures", [error.stack]));
  }
} finally {
  for (const child of children) child.kill();
  rmSync(results, { recursive: true, force: true });
}
console.log(`test result: ${failed > 0 ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
