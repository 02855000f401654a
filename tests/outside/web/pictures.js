// The pictures that the documents show: `pictures.js take|check CHROMIUM FOLDER REPORT.html ...`, with LINK, which signs
// in to a demonstration, in the environment.
//
// `take` writes FOLDER/NAME-light.png and FOLDER/NAME-dark.png of each page below and of each report, and FOLDER/pages.json with
// a hash of each page and of its pictures. `check` complains of each page that is another one than when its pictures were
// taken, so that no picture is old.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { withBrowser } from "./browser.js";

const [action, browser, folder, ...reports] = process.argv.slice(2);
const { LINK } = process.env;
const base = new URL(LINK).origin;
const site = "parcelwise-classic.com";
const hashes = join(folder, "pages.json");
const width = 1000;
const schemes = ["light", "dark"];

const pages = [
  { name: "home", height: 860, path: "/" },
  { name: "scan", height: 760, path: `/scan/${site}` },
  { name: "history", height: 760, path: `/scan/${site}/history` },
  { name: "compare", height: 760, path: `/compare?domain=${site}&from=2026-06-18&to=2026-11-30` },
  { name: "audit", height: 760, find: (page) => audit(page, `https://${site}/`) },
  { name: "logs", height: 1120, path: "/logs" },
  { name: "logs-agent", height: 760, path: "/logs/agents/openai-gptbot" },
  { name: "logs-errors", height: 760, path: "/logs/errors" },
  ...reports.map((file) => ({ name: basename(file, ".html"), height: 760, file })),
];

// Audits a page by the form; the path of the result.
async function audit(page, url) {
  await page.goto(`${base}/audit`);
  await page.fill("#url", url);
  await Promise.all([page.waitForNavigation(), page.press("#url", "Enter")]);
  await page.waitForSelector("#signals");
  return new URL(page.url()).pathname;
}

// Shows a page; its source and its style.
async function open(page, { path, find, file }, style) {
  if (file) {
    await page.goto(pathToFileURL(resolve(file)).href);
    // The style of a report is in it.
    return readFileSync(file, "utf8");
  }
  const response = await page.goto(base + (path ?? (await find(page))));
  if (!response.ok()) throw new Error(`${response.url()}: ${response.status()}`);
  return `${await response.text()}\n${style}`;
}

// A source without what differs from one demonstration to the next, and from one release to the next.
const withoutNames = (source) =>
  source
    .replaceAll(new URL(base).host, "")
    .replace(/(name="csrf" value=")\w+/g, "$1")
    .replace(/\baud_\w+/g, "aud_")
    .replace(/(T\d\d:\d\d):\d\d(\.\d+)?Z/g, "$1Z")
    .replace(/\bvisibility \d+\.\d+\.\d+/g, "visibility");

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const pictureFile = (name, scheme) => join(folder, `${name}-${scheme}.png`);
const hashOfFile = (path) => (existsSync(path) ? sha256(readFileSync(path)) : null);

// The name of each page with the hash of the page, and those of its pictures.
const found = {};
await withBrowser(browser, { locale: "en" }, async (context) => {
  const page = await context.newPage();
  const entered = await page.goto(LINK);
  if (!entered.ok()) throw new Error(`the link does not sign in: ${entered.status()}`);
  const style = await (await page.request.get(`${base}/style.css`)).text();
  for (const shown of pages) {
    const { name, height } = shown;
    await page.setViewportSize({ width, height });
    found[name] = { page: sha256(withoutNames(await open(page, shown, style))) };
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      if (action === "take") await page.screenshot({ path: pictureFile(name, colorScheme) });
      found[name][colorScheme] = hashOfFile(pictureFile(name, colorScheme));
    }
  }
});

if (action === "take") {
  writeFileSync(hashes, `${JSON.stringify(found, null, 2)}\n`);
  console.log(`${pages.length * schemes.length} pictures in ${folder}`);
  process.exit(0);
}
const taken = existsSync(hashes) ? JSON.parse(readFileSync(hashes, "utf8")) : {};
const problems = [];
for (const [name, hash] of Object.entries(found)) {
  const then = taken[name] ?? {};
  if (hash.page !== then.page) problems.push(`the page of ${name} has changed since its pictures were taken`);
  for (const scheme of schemes) {
    const isTheOne = hash[scheme] !== null && hash[scheme] === then[scheme];
    if (!isTheOne) problems.push(`${pictureFile(name, scheme)} is not the picture that was taken of its page`);
  }
}
const known = new Set(pages.flatMap(({ name }) => schemes.map((scheme) => `${name}-${scheme}.png`)));
for (const file of readdirSync(folder).filter((file) => file.endsWith(".png") && !known.has(file))) {
  problems.push(`${join(folder, file)} is a picture of no page`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error("take them again, look at them and commit them: tests/pictures");
console.log(`${pages.length} pages with pictures, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
