// Walks through the pages of a running service in a browser: `pages.js CHROMIUM [SCREENSHOTS]`, with BASE, USERNAME and
// PASSWORD of a user who may manage, and READER of one who may not, in the environment.
//
// Each page is looked at light, dark, for print and on a narrow screen, in English and Turkish; the way from signing in
// to a key is walked by keyboard alone, with scripts and without. Nothing may be wrong for axe, nothing may scroll
// sideways, nothing may be asked of another host, and the console stays empty. TENANT and TOKEN are for the logs that the pages
// about bot logs show.
import { join } from "node:path";
import { faults, picture, show, views, withBrowser } from "./browser.js";

const [browser, screenshots] = process.argv.slice(2);
const { BASE, USERNAME, PASSWORD, READER, TENANT, TOKEN } = process.env;
const english = ["/", "/bot", "/docs", "/docs/api", "/docs/checks", "/docs/errors", "/docs/ingestion", "/docs/mcp", "/docs/scoring"];
const turkish = ["/tr", "/tr/bot"];
const problems = [];
let count = 0;

function complain(text) {
  problems.push(text);
  console.error(text);
}

function check(condition, text) {
  if (!condition) complain(text);
}

// A page whose requests and messages are watched.
async function watched(context, { hasScripts = true } = {}) {
  const page = await context.newPage();
  page.hasScripts = hasScripts;
  page.on("request", (request) => {
    check(request.url().startsWith(`${BASE}/`), `a page requested ${request.url()}`);
  });
  page.on("console", (message) => {
    // The browser notes each answer that is an error, and some pages are.
    const isStatus = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    check(isStatus, `${page.url()}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`${page.url()}: ${error}`));
  return page;
}

// Looks at the page that is shown, in every view.
async function look(page, name) {
  const options = { hasScripts: page.hasScripts };
  for (const view of views) {
    await show(page, view);
    if (screenshots) await picture(page, join(screenshots, `${name}-${view.name}.png`));
    count += 1;
    for (const fault of await faults(page, options)) complain(`${name} ${view.name}: ${fault}`);
  }
  await show(page, views[0]);
}

async function visit(page, path, name, status = 200) {
  const response = await page.goto(BASE + path);
  check(response.status() === status, `${path}: ${response.status()} instead of ${status}`);
  await look(page, name);
}

// Presses the Tab key until an element has the focus.
async function tabTo(page, selector) {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  complain(`${page.url()}: the Tab key does not lead to ${selector}`);
}

async function signIn(page, name) {
  await page.goto(`${BASE}/settings`);
  await tabTo(page, "#name");
  await page.keyboard.type(name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/settings$/);
}

async function press(page, selector, key = "Enter") {
  await tabTo(page, selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
}

// From signing in to a key, and out again.
async function walk(page, name) {
  await page.goto(`${BASE}/sign-in?next=/settings`);
  await look(page, `${name}-sign-in`);
  await signIn(page, READER);
  await look(page, `${name}-without-scope`);
  await press(page, "main p a");
  await look(page, `${name}-account`);
  await press(page, "header .person button");
  await look(page, `${name}-signed-out`);
  await press(page, "main p a");
  await signIn(page, USERNAME);
  await look(page, `${name}-settings`);

  await tabTo(page, "#key-name");
  await page.keyboard.type("a/b");
  await tabTo(page, "#key-networks");
  await page.keyboard.type("example.com");
  await press(page, "button[value=create]");
  check((await page.locator("[aria-invalid]").count()) === 2, `${name}: two fields are marked`);
  await look(page, `${name}-refused`);
  await tabTo(page, "#key-name");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(`keyboard ${name}`);
  await tabTo(page, "#key-networks");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await press(page, "button[value=create]");
  check((await page.locator("pre.secret").innerText()).startsWith("service_live_"), `${name}: a key is shown`);
  await look(page, `${name}-new-key`);
  await press(page, "main p a");

  // What has to be confirmed opens with the keyboard.
  const actions = "#tokens ~ .items .action > summary";
  await tabTo(page, actions);
  await page.keyboard.press("Enter");
  await press(page, "button[value=revoke]");
  check((await page.locator("[role=status]").count()) === 1, `${name}: what was done is said`);
  await look(page, `${name}-done`);
  await press(page, "#tokens ~ form button[value=create], #tokens ~ .action > summary");
  check((await page.locator("pre.secret").innerText()).startsWith("svc_pk_live_"), `${name}: a token is shown`);
  await look(page, `${name}-new-token`);
}

// Sends the form of the home page with this in its field, by keyboard, and waits for the page of the domain.
async function send(page, target) {
  await page.goto(`${BASE}/`);
  await tabTo(page, "#target");
  await page.keyboard.type(target);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

const isWaiting = async (page) => (await page.locator("main [role=status]").count()) > 0;

async function waitForResult(page) {
  for (let turns = 0; turns < 30 && (await isWaiting(page)); turns += 1) await page.waitForNavigation();
}

async function scan(page, target) {
  await send(page, target);
  await waitForResult(page);
}

// From the home page to a file of the plan. A person is signed in.
async function scanAndTakeTheFixes(page, name) {
  await page.goto(`${BASE}/`);
  await look(page, `${name}-home`);
  await scan(page, "localhost");
  check((await page.locator("#target[aria-invalid=true]").count()) === 1, `${name}: the field is marked`);
  await look(page, `${name}-scan-refused`);
  await scan(page, "https://fortress-labs.com/#top");
  check(page.url().includes("/scan/fortress-labs.com"), `${name}: ${page.url()} is not the page of the domain`);
  check((await page.locator("h1").innerText()) === "fortress-labs.com", `${name}: the result is shown`);
  await look(page, `${name}-scan`);
  const result = page.url();
  await page.goto(await page.getAttribute("p.buttons a[href*='/history?']", "href").then((path) => new URL(path, result).href));
  check((await page.locator("tbody tr").count()) === 1, `${name}: the history has one day`);
  await look(page, `${name}-history`);
  await page.goto(`${BASE}/compare?domain=fortress-labs.com`);
  check((await page.locator("input[type=date]").count()) === 2, `${name}: one day has nothing to be compared with`);
  await look(page, `${name}-compare-one-day`);
  await scan(page, "north-wool.com");
  await page.goto(result);
  await press(page, "p.buttons a[href*='/compare?']");
  await tabTo(page, "input[name=b]");
  await page.keyboard.type("north-wool.com");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check((await page.locator("#agents").count()) === 1, `${name}: agents differ`);
  await look(page, `${name}-compare`);
  await page.goto(result);
  // As it is shown at first, with what is folded closed.
  await page.reload();
  await tabTo(page, "a[href*='fixes.zip']");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  check(download.suggestedFilename() === "fixes-fortress-labs.com.zip", `${name}: ${download.suggestedFilename()}`);
  await tabTo(page, ".steps pre");
}

// An address with a path leads to its audit, and so does the form for pages, which is tried with what is no page first.
async function auditPages(page, name) {
  await scan(page, "https://fortress-labs.com/no-such-page?x=1");
  check(page.url().includes("/audit/aud_"), `${name}: ${page.url()} is not the page of an audit`);
  await look(page, `${name}-audit-not-found`);
  await press(page, "p.buttons a[href*='/audit?']");
  await page.fill("#url", "http://10.0.0.1/");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check((await page.locator("#url[aria-invalid=true]").count()) === 1, `${name}: the field is marked`);
  await look(page, `${name}-audit-refused`);
  await page.goto(`${BASE}/audit`);
  await look(page, `${name}-audit-form`);
  await tabTo(page, "#url");
  await page.keyboard.type("north-wool.com");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  await waitForResult(page);
  check((await page.locator("#reading, #fixes, #signals").count()) === 3, `${name}: the result has its parts`);
  check((await page.locator("main form").count()) === 0, `${name}: the page of a result has no form`);
  await look(page, `${name}-audit`);
  // As it is shown at first, with what is folded closed.
  await page.reload();
  await tabTo(page, ".pair pre");
}

// The page of a scan that takes longer than the form waits: the site sends its home page byte by byte.
async function waitForSlowSite(page, name, host) {
  await send(page, host);
  check(await isWaiting(page), `${name}: the page waits`);
  await look(page, `${name}-waiting`);
  await waitForResult(page);
  check((await page.locator("main form").count()) === 0, `${name}: the page of a domain has no form`);
}

// A visitor, who may start a few scans: the page that says when there may be more.
async function visitAsStranger(page, name) {
  for (const host of ["parcelwise.com", "staging-forever.com", "taskloom-app.com", "slow-bread.com"]) await scan(page, host);
  const shown = await page.locator("main").innerText();
  check(/\d+ s|: \d+/.test(shown), `${name}: the page says when there may be more scans: ${shown}`);
  await look(page, `${name}-limit`);
}

const day = (back) => new Date(Date.now() - back * 86_400_000);
// As the pages write it, in the language of the browser.
const written = (date, name) =>
  `${date.getUTCDate()} ${name === "tr" ? turkishMonths[date.getUTCMonth()] : englishMonths[date.getUTCMonth()]}`;
const englishMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const turkishMonths = "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara".split(" ");
const refusedSince = day(5);

// The records of two weeks, in which one agent is refused for the last days.
async function sendLogs() {
  const agents = ["GPTBot/1.2", "ChatGPT-User/1.0", "ClaudeBot/1.0", "PerplexityBot/1.0", "OAI-SearchBot/1.0"];
  const lines = [];
  for (let back = 14; back > 0; back -= 1) {
    for (const [place, agent] of agents.entries()) {
      const isRefused = agent.startsWith("Perplexity") && back <= 5;
      for (let times = 0; times < 6 + place; times += 1) {
        const status = isRefused ? 403 : times === 0 && place < 2 ? 404 : 200;
        lines.push(JSON.stringify({
          timestamp: day(back).toISOString().replace(/\.\d+Z/, "Z"),
          user_agent: agent,
          request_method: "GET",
          request_path: "/docs/start",
          status_code: status,
          response_bytes: 1000,
          referrer: "",
          host: place % 2 === 0 ? "www.example.com" : "docs.example.com",
          client_ip_hash: "9f86d081884c7d659a2feaa0",
        }));
      }
    }
  }
  const response = await fetch(`${BASE}/v1/logs`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "x-service-tenant": TENANT,
      "x-service-schema": "1",
      "content-type": "application/x-ndjson",
    },
    body: `${lines.join("\n")}\n`,
  });
  check(response.status === 202, `logs were answered with ${response.status}`);
}

// Who was refused, and since when, by keyboard alone; then all the pages. A person is signed in.
async function readLogs(page, name, { isShort = false } = {}) {
  await page.goto(`${BASE}/`);
  await press(page, "header nav a[href='/logs']");
  await press(page, "section[aria-labelledby=errors] .card:first-child li a");
  check((await page.locator("h1").innerText()) === "PerplexityBot", `${name}: the page of the refused agent`);
  const row = await page.locator("section[aria-labelledby=by-status] tbody tr").first().innerText();
  const since = written(refusedSince, name === "tr" ? "tr" : "en");
  check(row.includes("403") && row.includes(since), `${name}: since ${since}: ${row}`);
  await look(page, `${name}-logs-agent`);
  await visit(page, "/logs", `${name}-logs`);
  await page.reload();
  await tabTo(page, "figure .files a[href*='.csv']");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  check(/^outside-.*-series\.csv$/.test(download.suggestedFilename()), `${name}: ${download.suggestedFilename()}`);
  if (isShort) return;
  for (const part of ["agents", "hosts", "errors", "sources"]) await visit(page, `/logs/${part}`, `${name}-logs-${part}`);
  await visit(page, "/logs?figure=refused&period=7d", `${name}-logs-refused`);
  await visit(page, "/logs?period=never", `${name}-logs-wrong`, 400);
}

// What a program asks a person for.
async function authorize(page, name) {
  const register = await fetch(`${BASE}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Example client", redirect_uris: ["http://localhost:5123/callback"] }),
  });
  const query = new URLSearchParams({
    response_type: "code",
    client_id: (await register.json()).client_id,
    redirect_uri: "http://localhost:5123/callback",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  await visit(page, `/authorize?${query}`, `${name}-consent`);
  await page.context().clearCookies();
  await visit(page, `/authorize?${query}`, `${name}-authorize`);
  await visit(page, "/authorize?client_id=none", `${name}-no-client`, 400);
}

const started = Date.now();
await withBrowser(browser, { locale: "en" }, async (context) => {
  const page = await watched(context);
  for (const path of english.concat(turkish)) await visit(page, path, `site${path.replaceAll("/", "-")}`);
  await signIn(page, READER);
  await visit(page, "/logs", "logs-without-scope", 403);
  await page.context().clearCookies();
  await signIn(page, USERNAME);
  await visit(page, "/logs", "logs-empty");
  await sendLogs();
});
// A site each, as the second one who asks for a site does not wait.
for (const [name, slowSite] of [["en", "drip.visibility-fixture.com"], ["tr", "trickle.visibility-fixture.com"]]) {
  await withBrowser(browser, { locale: name }, async (context) => {
    const page = await watched(context);
    await visit(page, "/no-such-page", `${name}-not-found`, 404);
    await walk(page, name);
    await readLogs(page, name, { isShort: name === "tr" });
    await scanAndTakeTheFixes(page, name);
    await auditPages(page, name);
    await waitForSlowSite(page, name, slowSite);
    await authorize(page, name);
    await visitAsStranger(page, name);
    check((await page.locator("html").getAttribute("lang")) === name, `${name}: the language of the browser`);
  });
}
await withBrowser(browser, { locale: "en", javaScriptEnabled: false }, async (context) => {
  const page = await watched(context, { hasScripts: false });
  await walk(page, "no-script");
  await readLogs(page, "no-script", { isShort: true });
  await scanAndTakeTheFixes(page, "no-script");
  await auditPages(page, "no-script");
});
console.log(`${count} views in ${Math.round((Date.now() - started) / 1000)} s, ${problems.length} problems`);
process.exit(problems.length === 0 && count > 0 ? 0 : 1);
