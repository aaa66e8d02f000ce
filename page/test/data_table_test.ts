// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { csv } from "../src/download.ts";
import { measuredColumns, readTable } from "../src/data_table.ts";
import { pictureCsv } from "../src/plot/picture_csv.ts";

test("a table with settings, errors and empty cells", () => {
  const table = readTable("# S = 0.5\ntime,A405,sd(A405)\n0,0.1,0.01\n50,,\n");
  assert.deepEqual(table.settings, ["S = 0.5"]);
  assert.deepEqual(measuredColumns(table), ["A405"]);
  assert.deepEqual(table.rows, [[0, 0.1, 0.01], [50, null, null]]);
  assert.equal(table.problem, "");
});

test("semicolons with decimal commas, tabs of a spreadsheet, BOM and CRLF", () => {
  assert.deepEqual(readTable("\uFEFFtime;A\r\n0;1,5\r\n").rows, [[0, 1.5]]);
  assert.deepEqual(readTable("time\tA\n0\t2\n").rows, [[0, 2]]);
  assert.deepEqual(readTable('time,"a ""b"", c"\n1,2').columns, ["time", 'a "b", c']);
});

test("limits keep their number and their side", () => {
  const table = readTable("time;A;B\n0;<0,1;>= 50\n1;0,5;<\n");
  assert.deepEqual(table.rows, [[0, 0.1, 50], [1, 0.5, null]]);
  assert.deepEqual(table.limits, [[null, "below", "above"], [null, null, null]]);
});

test("problems are said in words", () => {
  assert.match(readTable("").problem, /empty/);
  assert.match(readTable("t,A\n0,1").problem, /"time"/);
  assert.match(readTable("time\n0").problem, /no column/);
  assert.match(readTable("time,A\n").problem, /no rows/);
});

test("limits are written as tables of data have them", () => {
  const points = { kind: "points" as const, name: "A", x: [0, 1, 2], y: [0.1, 0.5, 50], limit: ["below" as const, null, "above" as const], colour: "#000" };
  const text = pictureCsv({ x: { label: "time", log: false }, y: { label: "A", log: false }, layers: [points] });
  assert.equal(text, "time of A,A\n0,<0.1\n1,0.5\n2,>50\n");
});

test("CSV is in full precision and quotes what needs it", () => {
  assert.equal(csv(["time", "a,b"], [[0, 0.1 + 0.2], [null, NaN]]), 'time,"a,b"\n0,\n0.30000000000000004,\n');
});
