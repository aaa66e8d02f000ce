// SPDX-License-Identifier: Apache-2.0
// Every view in light, dark and on a phone: nothing complains, nothing sticks out, and keys suffice.
import { faintText } from "./contrast.mjs";
import { browserTest, check, openExample } from "./harness.mjs";

const VIEWS = ["curves", "equations", "network", "stiffness", "methods", "fit", "uncertainty"];

/** Controls that a screen reader could not name. */
function nameless() {
  return [...document.querySelectorAll("button, input, select, textarea, a[href]")]
    .filter((element) => !(element.textContent.trim() || element.getAttribute("aria-label") || element.labels?.length || element.title))
    .map((element) => element.outerHTML.slice(0, 80));
}

await browserTest("looks", async ({ open, shot }) => {
  const page = await open();
  await openExample(page, "escep");
  await page.waitForSelector('input[aria-label="Parameter k_1"]');
  for (const look of ["light", "dark", "phone"]) {
    await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light" });
    await page.setViewportSize(look === "phone" ? { width: 390, height: 844 } : { width: 1440, height: 900 });
    for (const view of VIEWS) {
      await page.click(`#tab-${view}`);
      if (view === "stiffness") await page.waitForSelector(".region-words:has-text('decaying')");
      if (view === "methods" && look === "light") {
        await page.click('button:text-is("Compare")');
        await page.waitForSelector(".methods table");
      }
      if (view === "equations") await page.waitForSelector(".formula math");
      await page.waitForTimeout(80);
      await shot(page, `${look}-${view}`, { fullPage: look === "phone" });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(wide <= 0, `${view} fits the width in ${look}, ${wide} pixels too wide`);
      const faint = await page.evaluate(faintText);
      check(faint.length === 0, `all text of ${view} in ${look} can be read: ${faint.join("; ")}`);
      const unnamed = await page.evaluate(nameless);
      check(unnamed.length === 0, `every control of ${view} has a name: ${unnamed}`);
    }
  }

  // Keys alone: tabs by arrows, the editor is left by Escape and Tab, dialogs by Escape.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.focus("#tab-uncertainty");
  await page.keyboard.press("ArrowRight");
  check((await page.evaluate(() => document.activeElement?.id)) === "tab-curves", "arrows go round the tabs");
  await page.click(".cm-content");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  check(!(await page.evaluate(() => document.activeElement?.closest(".cm-editor"))), "the editor can be left by keys");
  await page.focus('button:text-is("Open")');
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
  check((await page.evaluate(() => document.activeElement?.textContent)) === "Open", "the focus comes back");
});
