// A browser, the views in which each page is looked at, and what is wrong with a page.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const wide = { width: 1280, height: 900 };

export const views = [
  { name: "light", viewport: wide, media: { colorScheme: "light", media: "screen" } },
  { name: "dark", viewport: wide, media: { colorScheme: "dark", media: "screen" } },
  { name: "print", viewport: wide, media: { colorScheme: "light", media: "print" } },
  { name: "narrow", viewport: { width: 320, height: 640 }, media: { colorScheme: "light", media: "screen" } },
];

// Calls `work` with a browser that keeps nothing.
export async function withBrowser(executablePath, options, work) {
  const profile = mkdtempSync(join(tmpdir(), "visibility-web-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    // Pages have a policy that forbids every script, also ours.
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
    ...options,
  });
  try {
    return await work(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// Shows a page in a view, with everything open that is folded.
export async function show(page, view) {
  await page.setViewportSize(view.viewport);
  await page.emulateMedia(view.media);
}

// Saves a picture of a page, and of a very long one the beginning: a browser has no memory for more.
export async function picture(page, path) {
  const { width, height } = page.viewportSize();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(Math.max(height, whole), 12_000) });
  await page.screenshot({ path });
  await page.setViewportSize({ width, height });
}

// What axe objects to, and whether the page scrolls sideways. Without scripts, axe cannot run.
export async function faults(page, { hasScripts = true } = {}) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  const found = hasScripts ? await violations(page) : [];
  if (overflow > 0) found.push(`wider than its window by ${overflow} px`);
  return found;
}

async function violations(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map((node) => `${node.target.join(" ")}\n    ${node.failureSummary}`);
    return `${id}: ${help} (${nodes.length})\n  ${places.join("\n  ")}`;
  });
}
