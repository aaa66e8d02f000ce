// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { rangeOfDiagnostic } from "../src/editor/places.ts";

const at = (line: number, column: number, end_line?: number, end_column?: number) => ({
  severity: "error" as const, message: "", line, column, ...(end_line ? { end_line } : {}), ...(end_column ? { end_column } : {}),
});

test("places are found in lines", () => {
  const text = "A -> B; k\nC -> ; kk\n";
  const range = rangeOfDiagnostic(text, at(2, 8, 2, 10));
  assert.equal(text.slice(range.from, range.to), "kk");
});

test("columns count characters, not their units", () => {
  const text = "𝛼 = 1; wrong";
  const range = rangeOfDiagnostic(text, at(1, 8, 1, 13));
  assert.equal(text.slice(range.from, range.to), "wrong");
});

test("a place behind the end stays within the text", () => {
  const range = rangeOfDiagnostic("A -> B", at(9, 1, 9, 5));
  assert.ok(range.from <= 6 && range.to <= 6 && range.from <= range.to);
  assert.deepEqual(rangeOfDiagnostic("", at(1, 1)), { from: 0, to: 0 });
});
