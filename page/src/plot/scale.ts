// SPDX-License-Identifier: Apache-2.0
// Linear and logarithmic scales, their ticks, and the range that data need. Nothing here draws.
import { formatNumber } from "../numbers.ts";

export interface Scale {
  log: boolean;
  min: number;
  max: number;
}

export interface Tick {
  value: number;
  label: string; // empty: a minor tick
}

/** Where a value lies, 0 at min and 1 at max; NaN if it cannot be shown. */
export function toUnit(scale: Scale, value: number): number {
  if (scale.log) {
    if (!(value > 0)) return NaN;
    return Math.log(value / scale.min) / Math.log(scale.max / scale.min);
  }
  return (value - scale.min) / (scale.max - scale.min);
}

export function fromUnit(scale: Scale, part: number): number {
  if (scale.log) return scale.min * Math.pow(scale.max / scale.min, part);
  return scale.min + part * (scale.max - scale.min);
}

/** On a log axis at most so many decades below the largest value are shown unasked. */
const LOG_DECADES = 12;

export type Values = ArrayLike<number | null>;

/** The range of some series with a little air around it. */
export function rangeOf(series: Iterable<Values>, log: boolean, air = 0.04): Scale {
  let min = Infinity;
  let max = -Infinity;
  for (const values of series) {
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      if (value === null || value === undefined || !Number.isFinite(value)) continue;
      if (log && value <= 0) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  if (!(min <= max)) return log ? { log, min: 0.1, max: 10 } : { log, min: 0, max: 1 };
  if (log) {
    min = Math.max(min, max * Math.pow(10, -LOG_DECADES));
    const decades = Math.max(Math.log10(max / min), 0.1);
    const factor = Math.pow(10, Math.max(air * decades, min === max ? 0.5 : 0));
    return { log, min: min / factor, max: max * factor };
  }
  if (min === max) {
    const half = min === 0 ? 1 : Math.abs(min) * 0.1;
    return { log, min: min - half, max: max + half };
  }
  const extra = air * (max - min);
  // A quantity that is never negative, but for the tolerance, keeps its axis at zero.
  const zero = min < extra && min >= -1e-6 * max;
  return { log, min: zero ? 0 : min - extra, max: max + extra };
}

function linearTicks(scale: Scale, count: number): Tick[] {
  const span = scale.max - scale.min;
  const rough = span / Math.max(count, 1);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? rough;
  const ticks: Tick[] = [];
  const digits = Math.max(0, Math.min(15, Math.ceil(Math.log10(Math.max(Math.abs(scale.min), Math.abs(scale.max)) / step)) + 1));
  for (let i = Math.ceil(scale.min / step - 1e-9); i <= scale.max / step + 1e-9; ++i) {
    const value = i * step + 0; // no minus zero
    ticks.push({ value, label: formatNumber(Number(value.toPrecision(12)), Math.max(digits, 3)) });
  }
  return ticks;
}

function logTicks(scale: Scale, count: number): Tick[] {
  const first = Math.ceil(Math.log10(scale.min) - 1e-9);
  const last = Math.floor(Math.log10(scale.max) + 1e-9);
  if (last - first < 1) {
    // Less than two powers of ten in view: round numbers in between say more.
    return linearTicks({ ...scale, log: false }, count).filter((tick) => tick.value > 0);
  }
  const every = Math.max(1, Math.ceil((last - first) / Math.max(count, 1)));
  const ticks: Tick[] = [];
  for (let power = first - 1; power <= last; ++power) {
    const major = Math.pow(10, power);
    if (power >= first) {
      const shown = (power - first) % every === 0;
      const label = power >= -2 && power <= 3 ? String(Number(major.toPrecision(1))) : `1e${power}`.replace("-", "−");
      ticks.push({ value: major, label: shown ? label : "" });
    }
    if (every > 1) continue;
    for (let m = 2; m < 10; ++m) {
      const value = m * major;
      if (value > scale.min && value < scale.max) ticks.push({ value, label: "" });
    }
  }
  return ticks;
}

/** Ticks inside the scale, about `count` of them with labels. */
export function ticksOf(scale: Scale, count: number): Tick[] {
  return scale.log ? logTicks(scale, count) : linearTicks(scale, count);
}

/** The scale seen after zooming by `factor` around the point at `part` of it. */
export function zoomed(scale: Scale, part: number, factor: number): Scale {
  return {
    log: scale.log,
    min: fromUnit(scale, part - part * factor),
    max: fromUnit(scale, part + (1 - part) * factor),
  };
}

export function shifted(scale: Scale, by: number): Scale {
  return { log: scale.log, min: fromUnit(scale, by), max: fromUnit(scale, 1 + by) };
}
