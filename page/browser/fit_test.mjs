// SPDX-License-Identifier: Apache-2.0
// Data dropped, the enzyme example fitted, its uncertainty looked at.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { browserTest, check, openFile, pictureOf } from "./harness.mjs";
import { decayProblem, enterEscep, fitByCommand, fitOfPage, waitForFit } from "./escep.mjs";

await browserTest("fit", async ({ open, shot, data }) => {
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
  const shared = join(data, "shared.stiffit");
  await download.saveAs(shared);
  const before = page.url();
  await openFile(page, shared);
  await page.waitForFunction((url) => location.href !== url && /work=/.test(location.hash), before);
  await page.waitForSelector(".intervals");
  check((await page.locator(".intervals tbody tr").first().textContent()).includes("1.2896"), "the results came along");

  // A PEtab problem brings everything with it.
  const problem = join(data, "decay.zip");
  writeFileSync(problem, decayProblem());
  await page.click("#tab-fit");
  await openFile(page, problem);
  await page.waitForSelector("text=decay.zip brings its own data");
  await page.click('button:text-is("Fit")');
  await waitForFit(page, "done");
  const rate = await page.locator('tr[data-parameter="k_decay"] td').nth(1).textContent();
  check(rate === "0.3", `the rate of the decay is found: ${rate}`);

  // On a phone everything stays within the width.
  await page.setViewportSize({ width: 390, height: 844 });
  for (const view of ["fit", "uncertainty"]) {
    await page.click(`#tab-${view}`);
    await page.waitForTimeout(100);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(wide <= 0, `${view} fits a phone, ${wide} pixels too wide`);
    await shot(page, `phone-${view}`, { fullPage: true });
  }
});
