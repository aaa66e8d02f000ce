// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { fromUnit, rangeOf, shifted, ticksOf, toUnit, zoomed } from "../src/plot/scale.ts";

test("units and values are each other's inverse", () => {
  for (const scale of [{ log: false, min: -3, max: 7 }, { log: true, min: 1e-6, max: 100 }]) {
    for (const part of [0, 0.25, 1]) assert.ok(Math.abs(toUnit(scale, fromUnit(scale, part)) - part) < 1e-12);
  }
  assert.ok(Number.isNaN(toUnit({ log: true, min: 1, max: 10 }, 0)));
});

test("ranges leave out what cannot be shown", () => {
  assert.deepEqual(rangeOf([[0, 10]], false), { log: false, min: 0, max: 10.4 });
  assert.equal(rangeOf([[-1e-9, 1]], false).min, 0);
  assert.ok(rangeOf([[-0.01, 1]], false).min < -0.01);
  const log = rangeOf([[0, null, -1, 0.1, 10]], true);
  assert.ok(log.min > 0 && log.min <= 0.1 && log.max >= 10);
  assert.deepEqual(rangeOf([[null, NaN]], false), { log: false, min: 0, max: 1 });
  const flat = rangeOf([[5, 5]], false);
  assert.ok(flat.min < 5 && flat.max > 5);
  const spread = rangeOf([[1e-30, 1]], true, 0);
  assert.ok(spread.min >= 0.9e-12, "a log axis does not go down for ever");
});

test("linear ticks are round, inside and labelled apart", () => {
  const ticks = ticksOf({ log: false, min: 0, max: 40 }, 5);
  assert.deepEqual(ticks.map((tick) => tick.value), [0, 10, 20, 30, 40]);
  const narrow = ticksOf({ log: false, min: 1.00001, max: 1.00002 }, 5);
  assert.equal(new Set(narrow.map((tick) => tick.label)).size, narrow.length);
});

test("log ticks are powers of ten, or round numbers where none fit", () => {
  const ticks = ticksOf({ log: true, min: 0.05, max: 2000 }, 8).filter((tick) => tick.label);
  assert.deepEqual(ticks.map((tick) => tick.label), ["0.1", "1", "10", "100", "1000"]);
  const few = ticksOf({ log: true, min: 2, max: 8 }, 4);
  assert.ok(few.length >= 2 && few.every((tick) => tick.value >= 2 && tick.value <= 8));
  const many = ticksOf({ log: true, min: 1e-20, max: 1e5 }, 5).filter((tick) => tick.label);
  assert.ok(many.length <= 6);
});

test("zooming keeps the point under the pointer", () => {
  for (const scale of [{ log: false, min: 0, max: 10 }, { log: true, min: 1, max: 1e4 }]) {
    const closer = zoomed(scale, 0.3, 0.5);
    assert.ok(Math.abs(fromUnit(closer, 0.3) / fromUnit(scale, 0.3) - 1) < 1e-12);
    assert.ok(closer.max < scale.max && closer.min > scale.min);
  }
  assert.deepEqual(shifted({ log: false, min: 0, max: 10 }, 0.1), { log: false, min: 1, max: 11 });
});
