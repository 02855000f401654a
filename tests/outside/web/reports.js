// Loads each report of a folder in a browser, light, dark, for print and on a narrow screen, and asks axe what
// is wrong with it: `reports.js CHROMIUM FOLDER [SCREENSHOTS]`. A report must not scroll sideways either.
import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { faults, picture, show, views, withBrowser } from "./browser.js";

const [browser, folder, screenshots] = process.argv.slice(2);
const asked = [];
const said = [];
let failed = 0;
let count = 0;
await withBrowser(browser, {}, async (context) => {
  const page = await context.newPage();
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) asked.push(request.url());
  });
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".html")).sort()) {
    for (const view of views) {
      await show(page, view);
      await page.goto(pathToFileURL(resolve(folder, file)).href);
      if (screenshots) {
        await picture(page, join(screenshots, `${basename(file, ".html")}-${view.name}.png`));
      }
      const found = await faults(page);
      count += 1;
      for (const fault of found) console.error(`${file} ${view.name}: ${fault}`);
      if (found.length > 0) failed += 1;
    }
  }
});
for (const url of asked) console.error(`a report requested ${url}`);
for (const text of said) console.error(`a report has a message in the console: ${text}`);
console.log(`${count} views, ${failed} with violations`);
const isGood = failed === 0 && asked.length === 0 && said.length === 0 && count > 0;
process.exit(isGood ? 0 : 1);
