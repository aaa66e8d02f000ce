// SPDX-License-Identifier: Apache-2.0
// What the fields of a fit become in a request, and where what is wrong with them is said.
import assert from "node:assert/strict";
import test from "node:test";
import { emptyWork, settingsOf } from "../src/empty_work.ts";
import { problemsAt, saidAtFields, wordsOf } from "../src/field_problems.ts";
import { ensembleOptions, fitOptions, linesOf, problemOf, profileOptions } from "../src/job_request.ts";
import { bootstrapRows, limitWords, partsWords, sentence, splitWords } from "../src/tabs/fit_words.ts";
import type { FitSettings } from "../src/types.ts";

function workWith(fit: Partial<FitSettings>) {
  const work = emptyWork();
  return { ...work, fit: { ...work.fit, ...fit } };
}

test("what is not set is not asked for", () => {
  assert.deepEqual(fitOptions(emptyWork()), { method: "trust-region", seed: 1 });
  const problem = problemOf(emptyWork());
  assert.deepEqual(problem["noise"], []);
  assert.ok(!("weights" in problem) && !("noise_distribution" in problem));
});

test("a number of starts is asked for only if it was given: it ends the search for other minima", () => {
  assert.equal(fitOptions(workWith({ starts: 5 }))["starts"], 5);
  assert.equal(settingsOf({ method: "cma-es", starts: 1, seed: 3 }).starts, null);
  assert.deepEqual(settingsOf({ method: "cma-es", starts: 4, seed: 3 }), { ...emptyWork().fit, method: "cma-es", starts: 4, seed: 3 });
  assert.equal(settingsOf({ ...emptyWork().fit, starts: 1 }).starts, 1);
  assert.deepEqual(settingsOf(undefined), emptyWork().fit);
});

test("fields become options, formulas line by line", () => {
  assert.deepEqual(linesOf(" a = 1\n\n  b = 2 \n"), ["a = 1", "b = 2"]);
  const work = workWith({ derive: "Km = (k_1+k2)/k1\nkcat = k2\n", level: 0.9, bootstrap: 200, bootstrapKind: "case", noise: "A = s*A\nB = s", weights: "relative", distribution: "student-t:2.5" });
  const options = fitOptions(work);
  assert.deepEqual(options["derive"], ["Km = (k_1+k2)/k1", "kcat = k2"]);
  assert.equal(options["level"], 0.9);
  assert.equal(options["bootstrap"], 200);
  assert.equal(options["bootstrap_kind"], "case");
  const problem = problemOf(work);
  assert.deepEqual(problem["noise"], ["A = s*A", "B = s"]);
  assert.equal(problem["weights"], "relative");
  assert.equal(problem["noise_distribution"], "student-t:2.5");
});

test("profiles and ensembles are asked for the same quantities", () => {
  const work = workWith({ derive: "Km = k2/k1", level: 0.8, bootstrap: 50 });
  assert.deepEqual(profileOptions(work, "abc"), { start_from_job: "abc", seed: 1, derive: ["Km = k2/k1"], level: 0.8 });
  assert.deepEqual(ensembleOptions(work, "abc", 500), { start_from_job: "abc", seed: 1, derive: ["Km = k2/k1"], samples: 500 });
});

test("a PEtab problem brings its own noise", () => {
  const work = { ...workWith({ noise: "A = s", weights: "relative" }), petab: { name: "p.zip", content: "" } };
  assert.deepEqual(Object.keys(problemOf(work)), ["petab", "title"]);
});

test("messages are about the field, not about an option of the command line", () => {
  assert.equal(wordsOf({ field: "level", message: "--level is a share between 0 and 1, such as 0.95" }), "This is a share between 0 and 1, such as 0.95.");
  assert.equal(
    wordsOf({ field: "derive", message: '--derive "Km = k_9": unknown name \'k_9\'', hint: "did you mean 'k_1'?" }),
    "\"Km = k_9\": unknown name 'k_9'. Did you mean 'k_1'?",
  );
  assert.equal(wordsOf({ field: "derive", message: "--derive: there is something called 'k1' already" }), "There is something called 'k1' already.");
  assert.equal(wordsOf({ field: "noise", message: "no table has measurements of 'A4'", of: "A4 = s" }), "“A4 = s”: no table has measurements of 'A4'.");
});

test("a mistake is said at its field until that is changed", () => {
  const finding = { field: "noise", message: "no table has measurements of 'A4'", of: "A4 = s" };
  const job = { id: "1", kind: "fit" as const, title: "", state: "failed" as const, findings: [finding] };
  assert.equal(problemsAt("noise", job, { refused: null, changed: [] }).length, 1);
  assert.equal(problemsAt("derive", job, { refused: null, changed: [] }).length, 0);
  assert.equal(problemsAt("noise", job, { refused: null, changed: ["noise"] }).length, 0);
  assert.equal(problemsAt("noise", { ...job, state: "done" }, { refused: null, changed: [] }).length, 0);
  assert.ok(saidAtFields(job));
  assert.ok(!saidAtFields({ ...job, findings: [] }));
  assert.ok(!saidAtFields({ ...job, findings: [finding, { field: "estimate", message: "x" }] }));
});

test("open sides and separate intervals are said", () => {
  assert.equal(limitWords([1, 2]), "1 to 2");
  assert.equal(limitWords([null, 2]), "at most 2");
  assert.equal(limitWords([1, null]), "at least 1");
  assert.equal(limitWords([null, null]), "open");
  assert.equal(partsWords([[1, 2]]), "");
  assert.equal(partsWords([[null, 2], [5, 6]]), "in 2 separate intervals: at most 2; 5 to 6");
});

test("a bootstrap has no limits where a parameter is open", () => {
  const parameter = (id: string, limits: [number | null, number | null]) => ({ id, scale: "log", estimate: 1, standard_error: null, limits, at_bound: null, verdict: "" });
  const drawn = (id: string) => ({ id, limits: [1, 2] as [number, number], percentile_limits: [1, 3] as [number, number] });
  const bootstrap = { words: "", level: 0.95, parameters: [drawn("a"), drawn("b")] };
  assert.deepEqual(bootstrapRows(bootstrap, [parameter("a", [0.5, 3]), parameter("b", [0.5, null])]), [["a", "1 to 2", "1 to 3"], ["b", "–", "–"]]);
  const none = { id: "a", limits: [null, null] as [null, null], percentile_limits: [null, null] as [null, null] };
  assert.deepEqual(bootstrapRows({ ...bootstrap, parameters: [none] }, [parameter("a", [1, 2])]), []);
});

test("words are sorted by where they are shown", () => {
  const { said, combined, advice } = splitWords([
    "determined by these data: k2", "only these combinations are determined:", "  k1+k3 = 2", "(judged by profiles: all)",
    "one more measurement that would help most:", "  P at time 50",
  ]);
  assert.deepEqual(said, ["determined by these data: k2", "(judged by profiles: all)"]);
  assert.equal(combined, "Only these combinations are determined");
  assert.deepEqual(advice, ["  P at time 50"]);
  assert.equal(sentence("determined by these data: k2"), "Determined by these data: k2.");
});
