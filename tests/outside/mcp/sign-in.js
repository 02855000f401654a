// Signs in and consents as a person with a browser does: reads the pages, fills in their forms, keeps cookies.
//
// `node sign-in.js URL` prints where the browser is sent in the end; with `--visit` it goes there too. USERNAME
// and PASSWORD are those of the user.
import assert from "node:assert/strict";
import process from "node:process";
import { pathToFileURL } from "node:url";

const PAGES = 8;

const unescaped = (text) =>
  text
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex, digits) => String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

// The attributes of a tag, by name.
function attributes(tag) {
  const found = tag.matchAll(/\s([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gi);
  return Object.fromEntries(
    [...found].map(([, name, double, single, bare]) => [name.toLowerCase(), unescaped(double ?? single ?? bare ?? "")]),
  );
}

// The form of a page that asks for what is known, filled in.
function filledIn(page, known) {
  const forms = [...page.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gis)];
  for (const [, tag, inside] of forms) {
    const { method = "get", action = "" } = attributes(tag);
    if (method.toLowerCase() !== "post") continue;
    const fields = new URLSearchParams();
    for (const [, kind, rest] of inside.matchAll(/<(input|button)\b([^>]*)>/gis)) {
      const { name, value = "", type = kind === "button" ? "submit" : "text", checked } = attributes(rest);
      if (!name) continue;
      const pressed = type === "submit" ? name === "decision" && value === "approve" : true;
      const ticked = ["checkbox", "radio"].includes(type) ? checked !== undefined : true;
      if (pressed && ticked) fields.append(name, known[name] ?? value);
    }
    if (fields.has("password") || fields.has("decision")) return { action, fields };
  }
  return undefined;
}

// Where the browser is sent in the end, and the texts of the pages on the way.
export async function signIn(url, { name, password }) {
  const home = new URL(url).origin;
  const cookies = new Map();
  const pages = [];
  let next = { url, init: { method: "GET" } };
  for (let page = 0; page < PAGES; page += 1) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { accept: "text/html", ...(cookie && { cookie }), ...next.init.headers };
    const response = await fetch(next.url, { ...next.init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, cookieName, value] = line.match(/^([^=;]+)=([^;]*)/);
      cookies.set(cookieName, value);
    }
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400) {
      const to = new URL(location, next.url);
      if (to.origin !== home) return { location: to.href, pages };
      next = { url: to.href, init: { method: "GET" } };
      continue;
    }
    const text = await response.text();
    pages.push(text);
    assert.equal(response.status, 200, `${next.url} answers ${response.status}: ${text.slice(0, 2000)}`);
    const form = filledIn(text, { name, password });
    assert(form, `no form to fill in: ${text.slice(0, 2000)}`);
    // A page that hides where it is hides its origin too when a form of it is sent.
    const hides = response.headers.get("referrer-policy")?.trim() === "no-referrer";
    next = {
      url: new URL(form.action, next.url).href,
      init: {
        method: "POST",
        body: form.fields.toString(),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: hides ? "null" : home,
          "sec-fetch-site": "same-origin",
          "sec-fetch-mode": "navigate",
        },
      },
    };
  }
  throw new Error(`still no redirect after ${PAGES} pages: ${pages.at(-1)?.slice(0, 2000)}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [url, visit] = process.argv.slice(2);
  const { USERNAME, PASSWORD } = process.env;
  const { location } = await signIn(url, { name: USERNAME, password: PASSWORD });
  console.log(location);
  if (visit === "--visit") {
    const arrived = await fetch(location);
    assert(arrived.ok, `${location} answers ${arrived.status}`);
  }
}
