// SPDX-License-Identifier: Apache-2.0
// The enzyme example as a person enters it: model, three curves, what was measured, unknowns.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dropFiles, openFile, program, source } from "./harness.mjs";
import { zipOf } from "./zip.mjs";

const folder = join(source, "examples/escep");
const TABLES = ["low.csv", "middle.csv", "high.csv"];

export async function enterEscep(page) {
  await page.click("#tab-curves");
  await openFile(page, join(folder, "escep.rxn"));
  await page.waitForSelector('input[aria-label="Parameter k1"]');
  await dropFiles(page, TABLES.map((name) => ({ name, content: readFileSync(join(folder, name), "utf8") })));
  await page.waitForSelector('strong:text-is("high.csv")');
  await page.fill('input[aria-label="What A405 measures"]', "10*P + off");
  for (const name of ["k1", "k2", "off"]) await page.check(`.unknowns label:has(span:text-is("${name}")) input`);
}

/** A PEtab problem of our own: first-order decay, its rate unknown, with data of 0.3. */
export function decayProblem() {
  const rows = [0, 1, 2, 4, 8].map((time) => `substrate\tfirst\t${2 * Math.exp(-0.3 * time)}\t${time}`);
  return zipOf({
    "decay.yaml": [
      "format_version: 1", "parameter_file: parameters.tsv", "problems:", "- condition_files: [conditions.tsv]",
      "  measurement_files: [measurements.tsv]", "  observable_files: [observables.tsv]", "  sbml_files: [decay.xml]", "",
    ].join("\n"),
    "decay.xml": readFileSync(join(source, "page/browser/decay.xml"), "utf8"),
    "parameters.tsv": "parameterId\tparameterScale\tlowerBound\tupperBound\tnominalValue\testimate\nk_decay\tlog10\t0.001\t10\t0.1\t1\n",
    "conditions.tsv": "conditionId\nfirst\n",
    "observables.tsv": "observableId\tobservableFormula\tnoiseFormula\nsubstrate\tSubstrate\t0.01\n",
    "measurements.tsv": `observableId\tsimulationConditionId\tmeasurement\ttime\n${rows.join("\n")}\n`,
  });
}

/** The same fit by the command line, for comparison. */
export function fitByCommand(...options) {
  const words = ["fit", join(folder, "escep.rxn"), "--observe", "A405 = 10*P + off", "--estimate", "k1,k2,off=0", "--json"];
  for (const name of TABLES) words.push("--data", join(folder, name));
  return JSON.parse(execFileSync(program, [...words, ...options], { stdio: ["ignore", "pipe", "ignore"] }).toString());
}

/** The finished fit of the page's work, as the server tells it once the work is kept. */
export async function fitOfPage(page) {
  await page.waitForFunction(
    () => location.hash.includes("work=") && document.querySelector(".keep-state")?.textContent === "kept");
  return page.evaluate(async () => {
    const id = /work=([^&]+)/.exec(location.hash)[1];
    const { document: work } = await (await fetch(`/api/work/${id}`, { headers: { "X-Stiffit": "1" } })).json();
    return (await fetch(`/api/jobs/${work.jobs.fit}`, { headers: { "X-Stiffit": "1" } })).json();
  });
}

export function waitForFit(page, state) {
  return page.waitForSelector(`.fit-result .job-bar[data-state="${state}"]`);
}
