// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { putValues } from "../src/text_values.ts";

test("a value replaces the number of its assignment", () => {
  const { text, left } = putValues("k1 = 1; k_1 = 2 // k1 = 9\nS = .5e-3\n", { k1: 3, S: 0.25 });
  assert.equal(text, "k1 = 3; k_1 = 2 // k1 = 9\nS = 0.25\n");
  assert.deepEqual(left, {});
});

test("names are whole names", () => {
  const { text } = putValues("kk = 1; k = 2; k.k = 3; ak = 4", { k: 7 });
  assert.equal(text, "kk = 1; k = 7; k.k = 3; ak = 4");
});

test("initial values in lists, in compartments and with (0)", () => {
  const { text } = putValues("species A = 1, B in c = 2\nx(0) = 3\nx' = -x", { A: 4, B: 5, x: 6 });
  assert.equal(text, "species A = 4, B in c = 5\nx(0) = 6\nx' = -x");
});

test("what is no plain number stays, and so do names with two values", () => {
  const source = "k = 2*a; a = 1; E = E0; b = 1; b = 2; v := 3; s = 3 second";
  const { text, left } = putValues(source, { k: 9, E: 9, b: 9, v: 9 });
  assert.equal(text, source);
  assert.deepEqual(left, { k: 9, E: 9, b: 9, v: 9 });
  assert.equal(putValues(source, { s: 4 }).text, source.replace("s = 3", "s = 4"));
});

test("numbers inside comments and strings are left alone", () => {
  const { text } = putValues('/* k = 1 */ # k = 2\nk = 3 // x', { k: 4 });
  assert.equal(text, '/* k = 1 */ # k = 2\nk = 4 // x');
});
