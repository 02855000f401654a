// What becomes of files of fixes in a theme of Shopify and in a project of Next.js. The first argument is a folder with
// the packages liquidjs and typescript; the work is JSON on standard input, and the answer JSON on standard output.

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const installed = createRequire(join(process.argv[2], "package.json"));
const work = JSON.parse(readFileSync(0, "utf8"));

// A template, as a shop renders it with these values.
async function liquid({ template, values }) {
  const { Liquid } = installed("liquidjs");
  return new Liquid({ strictFilters: true }).parseAndRender(template, values);
}

// What a configuration of this name exports, and the header fields that it sends.
async function config({ name, text }) {
  const folder = mkdtempSync(join(tmpdir(), "next-"));
  try {
    writeFileSync(join(folder, "package.json"), "{}");
    writeFileSync(join(folder, name), text);
    const exported = (await import(pathToFileURL(join(folder, name)).href)).default;
    return { ...exported, headers: await exported.headers() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// The faults that the compiler of TypeScript finds in the syntax of a page.
async function page({ text }) {
  const ts = installed("typescript");
  const { diagnostics } = ts.transpileModule(text, {
    reportDiagnostics: true,
    fileName: "page.tsx",
    compilerOptions: { jsx: ts.JsxEmit.ReactJSX, target: ts.ScriptTarget.ES2022 },
  });
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

const kinds = { liquid, config, page };

async function answer() {
  const answers = [];
  for (const item of work) {
    answers.push(await kinds[item.kind](item));
  }
  process.stdout.write(JSON.stringify(answers));
}

answer();
