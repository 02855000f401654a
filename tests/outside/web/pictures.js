// Takes pictures of reports for the documents: `pictures.js CHROMIUM FOLDER HEIGHT REPORT.html ...` writes FOLDER/REPORT.png,
// the first so many pixels of each report.
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { withBrowser } from "./browser.js";

const [browser, folder, height, ...reports] = process.argv.slice(2);
await withBrowser(browser, {}, async (context) => {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1000, height: Number(height) });
  for (const report of reports) {
    await page.goto(pathToFileURL(resolve(report)).href);
    await page.screenshot({ path: join(folder, `${basename(report, ".html")}.png`) });
  }
});
