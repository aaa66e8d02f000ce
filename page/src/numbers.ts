// SPDX-License-Identifier: Apache-2.0
// Numbers for people: how they are written, and the range and positions of a slider.

/** A number in at most `digits` significant digits; exponents only where they save room. */
export function formatNumber(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e5 || size < 1e-3
      ? value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replace(/^-/, "−").replace("e-", "e−");
}

/** Reads what a person typed: decimal comma and typographic minus are understood. */
export function readNumber(text: string): number | null {
  const plain = text.trim().replace(/−/g, "-").replace(/^([^.,]*),([^.,]*)$/, "$1.$2");
  if (plain === "" || !/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(plain)) return null;
  return Number(plain);
}

export interface SliderRange {
  low: number;
  high: number;
  log: boolean;
}

/** Two decades to each side of a value on a log scale; zero has no scale, so 0 to 1. */
export function sliderRange(value: number): SliderRange {
  if (value > 0) return { low: value / 100, high: value * 100, log: true };
  if (value < 0) return { low: 3 * value, high: -3 * value, log: false };
  return { low: 0, high: 1, log: false };
}

/** Sliders have 0 to SLIDER_STEPS positions. */
export const SLIDER_STEPS = 1000;

export function sliderPosition(range: SliderRange, value: number): number {
  const part = range.log
    ? Math.log(Math.max(value, range.low) / range.low) / Math.log(range.high / range.low)
    : (value - range.low) / (range.high - range.low);
  return Math.round(SLIDER_STEPS * Math.min(1, Math.max(0, part)));
}

/** The value at a position, rounded to four digits so that it can be read and typed. */
export function sliderValue(range: SliderRange, position: number): number {
  const part = position / SLIDER_STEPS;
  const value = range.log
    ? range.low * Math.pow(range.high / range.low, part)
    : range.low + part * (range.high - range.low);
  return Number(value.toPrecision(4));
}
