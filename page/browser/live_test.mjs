// SPDX-License-Identifier: Apache-2.0
// Typing, mistakes, sliders, files: the curves follow.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { browserTest, check, openExample, openFile, pictureOf, shared, source, typeModel, waitForChange } from "./harness.mjs";

const DECAY = "species A = 1, B = 0\nA -> B; k\nk = 0.5\n#: end 10\n";

/** Moves the first slider through many positions and tells how long each redraw took. */
async function latencies(page, label) {
  const slider = page.locator(".slider-row input[type=range]").first();
  await slider.focus();
  await page.evaluate(() => performance.clearMeasures());
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press(i % 20 < 10 ? "ArrowRight" : "ArrowLeft");
    await page.waitForTimeout(25);
  }
  await page.waitForTimeout(300);
  const times = await page.evaluate(() => performance.getEntriesByName("stiffit-redraw").map((entry) => entry.duration));
  times.sort((a, b) => a - b);
  check(times.length >= 10, `the curves of ${label} follow the slider (${times.length} redraws)`);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(part * times.length))].toFixed(1);
  const under = ((100 * times.filter((t) => t < 50).length) / times.length).toFixed(0);
  console.log(`slider to redraw, ${label}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, under 50 ms ${under} % of ${times.length}`);
}

await browserTest("live", async ({ open, shot, expect }) => {
  const page = await open();
  await shot(page, "oregonator");
  await latencies(page, "oregonator");

  // Typing a network changes the curves.
  let picture = await pictureOf(page);
  await typeModel(page, DECAY);
  picture = await waitForChange(page, picture);
  await page.waitForSelector('.chip-name:text-is("B")');
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("k = 5\n");
  picture = await waitForChange(page, picture);
  await page.waitForSelector(".problems .warning"); // the second value replaces the first

  // A typo is marked at its place, and the last curves stay.
  await typeModel(page, "species A = 1, B = 0\nA -> Bee; kk\nk = 0.5\n");
  await page.waitForSelector(".problems .error");
  await page.waitForSelector(".cm-lintRange-error");
  const marked = await page.locator(".cm-lintRange-error").allTextContents();
  check(marked.includes("kk"), `the mark is at the unknown name, not at ${marked}`);
  const place = await page.locator(".problems .error .place").first().textContent();
  check(/^2:\d+$/.test(place), `the list says line 2, not ${place}`);
  check(await page.locator(".stale").isVisible(), "it is said that the curves are older");
  await shot(page, "typo");
  await page.locator(".problems .error").first().click();
  const line = await page.evaluate(() => document.getSelection()?.anchorNode?.parentElement?.closest(".cm-line")?.textContent);
  check(line?.includes("kk"), "the list leads to the place");

  // Repaired; a slider moves the curve, a click on its button brings it back.
  await typeModel(page, DECAY);
  await page.waitForFunction(() => document.querySelectorAll(".problems .error").length === 0);
  await page.waitForSelector('input[aria-label="Parameter k"]');
  await page.waitForFunction(() => !document.querySelector(".stale"));
  picture = await waitForStill(page);
  const slider = page.locator('input[aria-label="Parameter k"]');
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  const moved = await waitForChange(page, picture);
  check(moved !== picture, "the slider moves the curve");
  await page.click('button[aria-label="k back to the model\'s value"]');
  check((await settles(page, picture)) === picture, "the old curve is back");

  // Species off and on, log axes, phase plane.
  await page.uncheck('.chip:has(.chip-name:text-is("B")) input');
  picture = await waitForChange(page, picture);
  await page.check('.chip:has(.chip-name:text-is("B")) input');
  picture = await waitForChange(page, picture);
  await page.check("text=log y");
  picture = await waitForChange(page, picture);
  await page.uncheck("text=log y");
  await page.selectOption('label:has-text("View") select', "phase");
  picture = await waitForChange(page, picture);
  await shot(page, "phase");
  await page.selectOption('label:has-text("View") select', "time");
  await waitForStill(page);

  // Zoom into a box, and out again.
  picture = await waitForStill(page);
  const plot = await page.locator(".plot-host").boundingBox();
  await page.mouse.move(plot.x + 200, plot.y + 60);
  await page.mouse.down();
  await page.mouse.move(plot.x + 400, plot.y + 200, { steps: 4 });
  await page.mouse.up();
  await waitForChange(page, picture);
  await page.click('button:text-is("Show all")');
  check((await settles(page, picture)) === picture, "all is shown again");

  // Export.
  for (const [button, begin] of [["PNG", "\x89PNG"], ["SVG", "<svg"], ["CSV", "time,A,B"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`.plot-tools button:text-is("${button}")`)]);
    const bytes = readFileSync(await download.path(), "latin1");
    check(bytes.startsWith(begin), `${button} begins as such a file`);
  }

  // What was done is kept: the page opened anew shows it.
  await page.waitForFunction(() => document.querySelector(".keep-state")?.textContent === "kept");
  await page.reload();
  await page.waitForSelector('input[aria-label="Parameter k"]');
  check((await page.locator(".cm-content").textContent()).includes("A -> B"), "the text is still there");

  // A second tab with the same work: the older one is told.
  expect(/409/);
  const other = await open(page.url());
  await other.fill(".title", "from the other tab");
  await other.waitForFunction(() => document.querySelector(".keep-state")?.textContent === "kept");
  await page.fill(".title", "from this tab");
  await page.waitForSelector("text=changed in another tab");
  await page.click("text=Take that one");
  await page.waitForFunction(() => document.querySelector(".title").value === "from the other tab");
  await other.close();

  // SBML, of our own making; then a curated model with many sliders.
  await openFile(page, join(source, "page/browser/decay.xml"));
  await page.waitForSelector('input[aria-label="Parameter k_decay"]');
  await page.waitForSelector('.chip-name:text-is("Substrate")');
  await shot(page, "sbml");
  // One work after the other, quicker than they are kept: each keeps its own text.
  await openExample(page, "robertson");
  await openExample(page, "repressilator");
  await page.waitForSelector('input[aria-label="Parameter alpha0"]');
  await latencies(page, "repressilator");

  // Completion knows the names of the model.
  await page.click(".cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("alp");
  await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("alpha0")');
  await page.keyboard.press("Escape");
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Backspace");

  const works = await keptWorks(page);
  check(works.some((work) => /robertson/i.test(work.title)), "the work that was left at once is kept, too");
  for (const { title, text } of works) {
    const own = /#: title (.*)/.exec(text)?.[1];
    check(!own || own === title, `the text of "${title}" is its own, not that of "${own}"`);
  }
  const curated = join(shared, "biomodels/BIOMD0000000033.xml");
  if (existsSync(curated)) {
    await openFile(page, curated);
    await page.waitForFunction(() => document.querySelectorAll(".slider-row").length > 30);
    await waitForStill(page);
    await latencies(page, "BIOMD0000000033");
    await shot(page, "biomd33");
  }
});

function keptWorks(page) {
  return page.evaluate(async () => {
    const ask = async (path) => (await fetch(path, { headers: { "X-Stiffit": "1" } })).json();
    return Promise.all((await ask("/api/work")).map(async ({ id }) => (await ask(`/api/work/${id}`)).document));
  });
}

/** Waits until the picture stays as it is. */
async function waitForStill(page) {
  let last = await pictureOf(page);
  for (let same = 0; same < 4; ) {
    await page.waitForTimeout(60);
    const now = await pictureOf(page);
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}

async function settles(page, wanted) {
  for (let i = 0; i < 100; ++i) {
    if ((await pictureOf(page)) === wanted) return wanted;
    await page.waitForTimeout(50);
  }
  return pictureOf(page);
}
