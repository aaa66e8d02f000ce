// SPDX-License-Identifier: Apache-2.0
// The server is killed during a fit and started again: the fit is resumed and ends with the very
// result of a run that nobody disturbed.
import { browserTest, check } from "./harness.mjs";
import { enterEscep, fitByCommand, fitOfPage, waitForFit } from "./escep.mjs";

const STARTS = "100";

await browserTest("resume", async ({ open, shot, restart, expect, ...tools }) => {
  expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  const page = await open();
  await enterEscep(page);
  await page.fill('label:has-text("Starts") input', STARTS);
  await page.waitForFunction(() => document.querySelector(".keep-state")?.textContent === "kept");
  await page.click('button:text-is("Fit")');
  await waitForFit(page, "running");
  await page.waitForFunction(() => document.querySelector(".keep-state")?.textContent === "kept");
  // Some starts are done, others not.
  await page.waitForFunction(() => Number(document.querySelector(".fit-result progress")?.value ?? 0) >= 3);
  await shot(page, "running");
  await tools.kill();
  await page.waitForSelector("text=the server does not answer");
  await shot(page, "killed");
  await restart();
  await waitForFit(page, "stopped");
  await page.click('button:text-is("Resume")');
  await waitForFit(page, "done");
  await page.waitForSelector('tr[data-parameter="k1"]');
  const job = await fitOfPage(page);
  const undisturbed = fitByCommand("--starts", STARTS);
  check(job.result.objective === undisturbed.objective, `the same objective: ${job.result.objective}, ${undisturbed.objective}`);
  for (const [index, parameter] of undisturbed.parameters.entries()) {
    check(job.result.parameters[index].estimate === parameter.estimate, `the same ${parameter.id}`);
  }
  check(JSON.stringify(job.result.waterfall) === JSON.stringify(undisturbed.waterfall), "the same end of every start");
});
