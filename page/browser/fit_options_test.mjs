// SPDX-License-Identifier: Apache-2.0
// A fit with all that it may be told: noise formulas, derived quantities, a level, a bootstrap, and
// limits among the data; mistakes are said at their fields; looked at in three sizes, light and dark.
import { faintText } from "./contrast.mjs";
import { browserTest, check, dropFiles, typeModel } from "./harness.mjs";
import { fitOfPage, waitForFit } from "./escep.mjs";

// Two ways out of A; only A is measured, so only the sum of the two rates can be known.
const MODEL = "A -> B; k1\nA -> C; k2\nA = 1; B = 0; C = 0; k1 = 0.3; k2 = 0.2\n";
const SIZES = { phone: [390, 844], tablet: [820, 1180], desk: [1440, 900] };

/** exp(-0.6 t) with wobbles of 3 %, below what can be seen in the end. */
function table() {
  const rows = ["time,A"];
  for (let i = 0; i <= 24; ++i) {
    const value = Math.exp(-0.15 * i) * (1 + 0.03 * Math.sin(7.3 * i * i + 1.7 * i)) + 0.002 * Math.cos(11 * i);
    rows.push(`${0.25 * i},${value < 0.04 ? "<0.04" : value.toFixed(5)}`);
  }
  return rows.join("\n") + "\n";
}

const NOISE = 'textarea[placeholder^="A340"]';
const DERIVE = 'textarea[placeholder^="Km"]';

async function fitAndSee(page, state) {
  await page.click('button:text-is("Fit")');
  await page.waitForFunction(() => !document.querySelector('.fit-result .job-bar[data-state="running"], .fit-result .job-bar[data-state="waiting"]'));
  if (state) await waitForFit(page, state);
}

await browserTest("fit-options", async ({ open, shot, expect }) => {
  const page = await open();
  await typeModel(page, MODEL);
  await page.waitForSelector('input[aria-label="Parameter k2"]');
  await dropFiles(page, [{ name: "decay.csv", content: table() }]);
  await page.waitForSelector('strong:text-is("decay.csv")');
  for (const name of ["k1", "k2"]) await page.check(`.unknowns label:has(span:text-is("${name}")) input`);
  await page.click('summary:text-is("Noise of the data")');
  await page.click('summary:text-is("Derived quantities and limits")');

  // Refused at once, and found by the job as it begins: both are said at their fields.
  expect(/400|422/);
  const level = 'label:has(.field-name:text-is("Confidence level")) input';
  await page.fill(level, "95");
  await page.click('button:text-is("Fit")');
  await page.waitForSelector('.fit-options .problem:has-text("share between 0 and 1")');
  check((await page.getAttribute(level, "aria-invalid")) === "true", "the level is marked");
  await page.fill(level, "0.9");
  check((await page.locator(".fit-options .problem").count()) === 0, "a changed field is not blamed any more");
  await page.fill(DERIVE, "total = k1 + k9");
  await fitAndSee(page, "failed");
  await page.waitForSelector(`.lines-field:has(${DERIVE}) .problem:has-text("unknown name 'k9'")`);
  check((await page.getAttribute(DERIVE, "aria-invalid")) === "true", "derived quantities are marked");
  await page.waitForFunction(() => {
    const box = document.querySelector(".fit-options .problem").getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight; // nobody has to look for it
  });
  await shot(page, "mistake", { fullPage: true });
  await page.fill(DERIVE, "total = k1 + k2\nhalf_life = ln(2)/(k1 + k2)");
  await page.fill(NOISE, "X = s");
  await fitAndSee(page, "failed");
  await page.waitForSelector(`.lines-field:has(${NOISE}) .problem:has-text("no table has measurements of 'X'")`);
  const bar = await page.locator(".fit-result .job-bar .problem").textContent();
  check(bar.startsWith("A field of this fit is wrong"), `the bar points to the field: ${bar}`);

  await page.fill(NOISE, "A = s*A + s0");
  await page.fill('label:has(.field-name:text-is("Bootstrap fits")) input', "60");
  await fitAndSee(page, "done");
  const job = await fitOfPage(page);
  check(job.result.statistics.level === 0.9, "the level is the one of the field");
  check(job.result.bootstrap.kind === "residual" && job.result.bootstrap.asked === 60, "the bootstrap was made");
  check(job.simulations.observables[0].data.limit.includes("below"), "the server tells which values are limits");

  // What is first, and what is apart from the others.
  const order = await page.locator('section[aria-label="Estimates"] .adequacy, section[aria-label="Estimates"] .estimates').evaluateAll((all) => all.map((one) => one.className));
  check(order[0]?.includes("adequacy"), `whether the model fits comes first: ${order}`);
  const cells = (kind, id) => page.locator(`tr[data-${kind}="${id}"] td`).allTextContents();
  const total = await cells("derived", "total");
  check(Math.abs(Number(total[1]) - 0.6) < 0.03 && Number(total[3]) < 0.6 && Number(total[4]) > 0.6, `the sum is found: ${total}`);
  check((await page.locator('tbody:has(tr[data-derived="half_life"]) .verdict-row').textContent()).includes("determined"), "its verdict is shown");
  const sum = await cells("combination", "k1+k2");
  check(Math.abs(Number(sum[1]) - 0.6) < 0.03, `the combination is shown: ${sum}`);
  check((await page.locator("tr[data-noise]").count()) === 2, "noise parameters are apart");
  check((await page.locator('tr[data-parameter="s"]').count()) === 0, "and not among the others");
  check((await page.locator("tr[data-bootstrap]").count()) > 0, "limits of the bootstrap are shown");
  check((await page.locator(".said").textContent()).includes("more start"), "what the search for rivals came to is said");
  check((await page.locator(".fit-result").textContent()).includes("A bar with an arrow is a limit"), "limits are explained");

  for (const dark of [false, true]) {
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    for (const [name, [width, height]] of Object.entries(SIZES)) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(wide <= 0, `everything is within ${width} pixels, ${wide} too wide`);
      const faint = await page.evaluate(faintText);
      check(faint.length === 0, `all text can be read, but not: ${faint.join(" | ")}`);
      await shot(page, `${name}-${dark ? "dark" : "light"}`, { fullPage: true });
      await page.setViewportSize({ width, height: 2600 }); // wide pages scroll inside
      await shot(page, `${name}-${dark ? "dark" : "light"}-all`);
    }
  }

  // Profiles know the same noise and the same quantities.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.click("#tab-uncertainty");
  await page.click("text=Run profiles");
  await page.waitForSelector('section[aria-label="Profiles"] .job-bar[data-state="done"]');
  const derived = await page.locator('.intervals tr:has(td:text-is("total")) td').allTextContents();
  check(/^0\.59\d* to 0\.60\d*$/.test(derived[3]), `the profile gives limits of the sum: ${derived}`);
  check((await page.locator(".intervals thead").textContent()).includes("from the profile, 90 %"), "the level is said");
  await shot(page, "uncertainty");
  await page.click("#tab-fit");

  // The fields are part of the work.
  await page.waitForFunction(() => document.querySelector(".keep-state")?.textContent === "kept");
  await page.reload();
  await page.waitForSelector(".estimates");
  check((await page.inputValue(NOISE)) === "A = s*A + s0", "the noise is kept");
  check((await page.inputValue(level)) === "0.9", "the level is kept");
});
