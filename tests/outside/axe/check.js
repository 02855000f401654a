// Loads each report of a folder in a browser, light, dark, for print and on a narrow screen, and asks axe what
// is wrong with it: `check.js CHROMIUM FOLDER [SCREENSHOTS]`. A report must not scroll sideways either.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browser, folder, screenshots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const wide = { width: 1280, height: 900 };
const views = [
  { name: "light", viewport: wide, media: { colorScheme: "light", media: "screen" } },
  { name: "dark", viewport: wide, media: { colorScheme: "dark", media: "screen" } },
  { name: "print", viewport: wide, media: { colorScheme: "light", media: "print" } },
  { name: "narrow", viewport: { width: 320, height: 640 }, media: { colorScheme: "light", media: "screen" } },
];

const profile = mkdtempSync(join(tmpdir(), "visibility-axe-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: browser,
  headless: true,
  // A report has a policy that forbids every script, also ours.
  bypassCSP: true,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const asked = [];
let failed = 0;
let count = 0;
try {
  const page = await context.newPage();
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) asked.push(request.url());
  });
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".html")).sort()) {
    for (const view of views) {
      await page.setViewportSize(view.viewport);
      await page.emulateMedia(view.media);
      await page.goto(pathToFileURL(resolve(folder, file)).href);
      // What is folded is checked, too.
      const opened = () => document.querySelectorAll("details").forEach((fold) => (fold.open = true));
      if (screenshots) {
        const path = join(screenshots, `${basename(file, ".html")}-${view.name}.png`);
        await page.screenshot({ path, fullPage: true });
      }
      await page.evaluate(opened);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      count += 1;
      for (const { id, help, nodes } of violations) {
        const places = nodes.slice(0, 3).map((node) => `${node.target.join(" ")}\n    ${node.failureSummary}`);
        console.error(`${file} ${view.name}: ${id}: ${help}\n  ${places.join("\n  ")}`);
      }
      if (overflow > 0) console.error(`${file} ${view.name}: wider than its window by ${overflow} px`);
      if (violations.length > 0 || overflow > 0) failed += 1;
    }
  }
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const url of asked) console.error(`a report requested ${url}`);
console.log(`${count} views, ${failed} with violations`);
process.exit(failed === 0 && asked.length === 0 && count > 0 ? 0 : 1);
