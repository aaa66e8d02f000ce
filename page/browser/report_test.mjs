// SPDX-License-Identifier: Apache-2.0
// The pages that commands write, opened from disk without any network: nothing is asked for, nothing
// complains, nothing sticks out on a phone, and the numbers behind the pictures can be saved.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { browserTest, check, program, source } from "./harness.mjs";

const LARGEST = 3_000_000;

const example = join(source, "examples/escep");
const PAGES = {
  simulate: ["simulate", "oregonator", "--verify", "-o", "curves.csv"],
  stiffness: ["stiffness", "oregonator", "--points", "40", "-o", "stiffness.csv"],
  compare: ["compare", "robertson", "--methods", "rodas5p,bdf", "--errors", "1e-3,1e-5", "-o", "compare.csv"],
  fit: [
    "fit", join(example, "escep.rxn"), "--observe", "A405 = 10*P + off", "--estimate", "k1,k2,off=0",
    ...["low", "middle", "high"].flatMap((name) => ["--data", join(example, `${name}.csv`)]), "--starts", "3",
  ],
  ensemble: ["ensemble", "oregonator", "--sample", "f=lognormal(1,0.05)", "--samples", "64", "--points", "50"],
};

/** Whatever is wider than the window and cannot be scrolled within its own box. */
function wider() {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width) found.push(`the page: ${document.documentElement.scrollWidth}`);
  for (const element of document.querySelectorAll("body *")) {
    if (element.getBoundingClientRect().right <= width + 1 || element.closest("svg") !== null && element.tagName !== "svg") continue;
    let box = element.parentElement;
    while (box && !["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)) box = box.parentElement;
    if (!box || box === document.body) found.push(`${element.tagName} ${element.className}: ${element.textContent.trim().slice(0, 30)}`);
  }
  return found;
}

/** Rows of a saved table that hold numbers; the first row names the columns. */
function numbersOf(name, text) {
  const separator = name.endsWith(".tsv") ? "\t" : ",";
  const rows = text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(separator));
  return rows.slice(1).filter((row) => row.length === rows[0].length && row.some((cell) => cell !== "" && Number.isFinite(Number(cell))));
}

async function lookAt(name, file, { browser, shot }) {
  check(statSync(file).size < LARGEST, `${name} is below ${LARGEST} bytes: ${statSync(file).size}`);
  const page = await browser.newPage();
  const heard = [];
  page.on("console", (message) => heard.push(`${message.type()}: ${message.text()}`));
  page.on("request", (request) => {
    if (request.url() !== pathToFileURL(file).href && !request.url().startsWith("data:")) heard.push(`asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  check((await page.title()).length > 0, `${name} has a title`);
  const pictures = await page.locator("svg").count();
  check(pictures > 0, `${name} has pictures`);
  for (const [look, width] of [["wide", 1440], ["phone", 390]]) {
    await page.setViewportSize({ width, height: 844 });
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      await shot(page, `${name}-${look}-${scheme}`);
    }
    const out = await page.evaluate(wider);
    check(out.length === 0, `${name} fits ${width} points: ${out.slice(0, 5).join(" | ")}`);
  }
  // Some parts are folded away.
  await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
  const links = page.locator('a[download$=".csv"], a[download$=".tsv"]');
  const tables = await links.count();
  check(tables > 0, `${name} has numbers to save`);
  for (const index of [...new Set([0, Math.floor(tables / 2), tables - 1])]) {
    const waiting = page.waitForEvent("download");
    await links.nth(index).click();
    const download = await waiting;
    const rows = numbersOf(download.suggestedFilename(), readFileSync(await download.path(), "utf8"));
    check(rows.length > 0, `${name}: ${download.suggestedFilename()} holds numbers`);
  }
  check(heard.length === 0, `${name} is silent: ${heard.slice(0, 5).join(" | ")}`);
  await page.close();
  console.log(`${name}: ${statSync(file).size} bytes, ${pictures} pictures, ${tables} tables to save`);
}

await browserTest("report", async (tools) => {
  await tools.browser.setOffline(true);
  await tools.browser.route("**/*", (route) => (route.request().url().startsWith("file:") ? route.continue() : route.abort()));
  for (const [name, words] of Object.entries(PAGES)) {
    const file = join(tools.data, `${name}.html`);
    execFileSync(program, [...words, "--report", file], { cwd: tools.data, stdio: ["ignore", "ignore", "pipe"] });
    await lookAt(name, file, tools);
  }
});
