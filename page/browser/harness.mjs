// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: the server in its own data folder, a fresh browser, and checks.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const source = process.env.STIFFIT_SOURCE ?? join(import.meta.dirname ?? ".", "../..");
export const shared = join(source, "../shared");
export const program = process.env.STIFFIT ?? join(source, "build/apps/cli/stiffit");
const screenshots = process.env.STIFFIT_SCREENSHOTS ?? join(tmpdir(), "stiffit-screenshots");
const chromiumPath = process.env.STIFFIT_CHROMIUM ?? "/usr/bin/chromium";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** Starts `stiffit serve`, on a free port unless told; `kill` ends it without warning. */
export async function startServer(data, port = "0") {
  const child = spawn(program, ["serve", "--port", port, "--data", data, "--threads", "1"], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  const exit = new Promise((resolve) => child.on("exit", resolve));
  const address = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
      const found = /http:\/\/\S+/.exec(output);
      if (found) resolve(found[0]);
    });
    exit.then((code) => reject(new Error(`the server ended with ${code}: ${errors}`)));
  });
  return {
    address,
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      await exit;
    },
  };
}

export function check(condition, words) {
  if (!condition) throw new Error(`not so: ${words}`);
}

/** Runs one test with a server and a browser; whatever the page complains about fails it. */
export async function browserTest(name, test) {
  if (!existsSync(chromiumPath)) {
    console.log(`skipped: there is no ${chromiumPath}`);
    process.exit(77);
  }
  mkdirSync(screenshots, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "stiffit-browser-"));
  const data = join(folder, "data");
  let server = await startServer(data);
  const browser = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: chromiumPath,
    args: FLAGS,
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
  });
  const complaints = [];
  const expected = [];
  const watch = (page) => {
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
  };
  browser.on("page", watch);
  const tools = {
    browser,
    data,
    get server() {
      return server;
    },
    kill: () => server.kill(),
    /** The same folder and port again, after a kill. */
    async restart() {
      server = await startServer(data, new URL(server.address).port);
      return server;
    },
    /** Opens the page and waits for its first curves. */
    async open(address = server.address) {
      const page = await browser.newPage();
      await page.goto(address);
      await page.waitForSelector(".plot-host canvas");
      await page.waitForFunction(() => document.querySelector(".keep-state")?.textContent === "kept");
      return page;
    },
    shot: (page, what, options = {}) => page.screenshot({ path: join(screenshots, `${name}-${what}.png`), ...options }),
    /** Messages of the console that the test provokes on purpose. */
    expect: (pattern) => expected.push(pattern),
  };
  let failure = null;
  try {
    await test(tools);
    const unexpected = complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
    check(unexpected.length === 0, `the console is empty, but it says: ${unexpected.join(" | ")}`);
  } catch (error) {
    failure = error;
    for (const page of browser.pages()) {
      await page.screenshot({ path: join(screenshots, `${name}-failed.png`) }).catch(() => {});
    }
  }
  await browser.close();
  await server.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
  if (failure) {
    console.error(failure);
    process.exit(1);
  }
  console.log(`${name}: passed`);
}

/** Replaces all of the editor's text by typing. */
export async function typeModel(page, text) {
  await page.click(".cm-content");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

/** The curve's pixels as one number, to see whether it changes. */
export function pictureOf(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector(".plot-paper");
    const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let sum = 0;
    for (let i = 0; i < bytes.length; i += 4) sum = (sum * 31 + bytes[i] + 3 * bytes[i + 1] + 7 * bytes[i + 3]) % 1000000007;
    return sum;
  });
}

export async function waitForChange(page, before) {
  for (let i = 0; i < 300; ++i) {
    const now = await pictureOf(page);
    if (now !== before) return now;
    await page.waitForTimeout(50);
  }
  throw new Error("the picture did not change");
}

export async function openExample(page, name) {
  await page.click("text=Open");
  await page.click(`.row-name:text-is("${name}")`);
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
}

export async function openFile(page, path) {
  await page.click("text=Open");
  await page.setInputFiles('input[aria-label="File to open"]', path);
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
}

/** Drops files on the page as a person would with the mouse. */
export async function dropFiles(page, files) {
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, content } of list) transfer.items.add(new File([content], name, { type: "text/csv" }));
    for (const type of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, files);
}
