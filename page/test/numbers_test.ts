// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { formatNumber, readNumber, SLIDER_STEPS, sliderPosition, sliderRange, sliderValue } from "../src/numbers.ts";

test("numbers are short but not wrong", () => {
  assert.equal(formatNumber(0), "0");
  assert.equal(formatNumber(0.1 + 0.2), "0.3");
  assert.equal(formatNumber(123456), "1.235e5");
  assert.equal(formatNumber(-0.00012), "−1.2e−4");
  assert.equal(formatNumber(1e-7), "1e−7");
  assert.equal(formatNumber(99999, 5), "99999");
  assert.equal(formatNumber(null), "–");
  assert.equal(formatNumber(NaN), "–");
  assert.equal(formatNumber(Infinity), "∞");
});

test("typed numbers are read with either decimal sign", () => {
  assert.equal(readNumber(" 1,5 "), 1.5);
  assert.equal(readNumber("1e-3"), 0.001);
  assert.equal(readNumber("−2"), -2);
  assert.equal(readNumber(".5"), 0.5);
  for (const bad of ["", "1,5,6", "1.2.3", "abc", "1e", "0x10", "Infinity"]) assert.equal(readNumber(bad), null, bad);
});

test("what is formatted can be read again", () => {
  for (const value of [1.234e-9, 5, -42.5, 0.001, 1e5, 123456]) {
    assert.ok(Math.abs((readNumber(formatNumber(value, 8)) as number) - value) <= 1e-7 * Math.abs(value));
  }
});

test("a slider stands in the middle at the model's value and goes two decades each way", () => {
  const range = sliderRange(0.5);
  assert.equal(sliderPosition(range, 0.5), SLIDER_STEPS / 2);
  assert.equal(sliderValue(range, SLIDER_STEPS), 50);
  assert.equal(sliderValue(range, 0), 0.005);
  assert.equal(sliderValue(sliderRange(0), SLIDER_STEPS), 1);
  assert.ok(sliderRange(-2).low < -2);
  assert.equal(sliderPosition(range, 1e9), SLIDER_STEPS);
  assert.equal(sliderPosition(range, -1), 0);
});

test("positions survive the way to a value and back", () => {
  for (const base of [1, 0.37, 0, -4]) {
    const range = sliderRange(base);
    for (const position of [0, 13, 500, 999, 1000]) {
      assert.ok(Math.abs(sliderPosition(range, sliderValue(range, position)) - position) <= 1);
    }
  }
});
