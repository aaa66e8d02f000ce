// SPDX-License-Identifier: Apache-2.0
// Data dropped, the enzyme example fitted, its uncertainty looked at.
import { readFileSync } from "node:fs";
import { browserTest, check, pictureOf } from "./harness.mjs";
import { enterEscep, fitByCommand, fitOfPage, waitForFit } from "./escep.mjs";

await browserTest("fit", async ({ open, shot }) => {
  const page = await open();
  await page.click("#tab-uncertainty");
  await page.waitForSelector("text=First fit the model to data");
  await enterEscep(page);
  check((await page.locator(".hint").textContent()) === "", "nothing is missing any more");
  await shot(page, "data");
  await page.click('button:text-is("Fit")');
  await waitForFit(page, "done");
  const k1 = page.locator('tr[data-parameter="k1"] td');
  await k1.first().waitFor();
  const expected = fitByCommand();
  const job = await fitOfPage(page);
  check(job.result.objective === expected.objective, `the objective is that of the command line: ${job.result.objective}, ${expected.objective}`);
  const cells = await k1.allTextContents();
  check(cells[1] === "1.2896" && cells[3] === "1.2765" && cells[4] === "1.3028", `estimate and limits of k1 are shown: ${cells}`);
  check((await pictureOf(page)) !== 0, "the fit is drawn");
  await shot(page, "done");

  // The values go to the curves.
  await page.click("text=Show with these values");
  await page.waitForSelector(".slider-row.changed");
  const value = await page.inputValue('input[aria-label="Parameter k1"] + label input');
  check(value.startsWith("1.289"), `the slider of k1 stands at the estimate: ${value}`);

  await page.click("#tab-uncertainty");
  await page.waitForSelector(".intervals");
  await page.waitForSelector(".correlations");
  await page.click("text=Run profiles");
  await page.waitForSelector('section[aria-label="Profiles"] .job-bar[data-state="done"]');
  await page.waitForSelector('.plot-host[aria-label^="Profile of k1"]');
  await page.fill('label:has-text("Draws") input', "1000");
  await page.click("text=Run ensemble");
  await page.waitForSelector('section[aria-label="Ensemble"] .job-bar[data-state="done"], section[aria-label="Ensemble"] .job-bar[data-state="failed"]');
  const row = await page.locator(".intervals tbody tr").first().locator("td").allTextContents();
  check(row[3].startsWith("1.27") && row[3].includes("1.30"), `the profile gives limits of k1: ${row}`);
  await shot(page, "uncertainty", { fullPage: true });

  // All of it in one file.
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Share")]);
  check(readFileSync(await download.path()).length > 1000, "the shared file holds something");
});
