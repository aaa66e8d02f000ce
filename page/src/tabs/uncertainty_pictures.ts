// SPDX-License-Identifier: Apache-2.0
// Pictures of profiles and of an ensemble's bands.
import { curveColour } from "../palette.ts";
import type { Picture } from "../plot/draw.ts";
import type { Band, ProfileResult } from "../types.ts";

export function profilePicture(parameter: ProfileResult["parameters"][number], threshold: number, dark: boolean, level = 0.95): Picture {
  const points = [...parameter.lower.points, ...parameter.upper.points];
  // Far beyond the threshold nothing is to be learnt.
  const all: [number, number][] = points.filter((point) => point[2] <= 3 * threshold).map((point) => [point[0], point[2]]);
  all.push([parameter.estimate, 0]);
  all.sort((a, b) => a[0] - b[0]);
  const x = all.map((point) => point[0]);
  const y = all.map((point) => point[1]);
  const colour = curveColour(0, dark);
  const high = Math.min(Math.max(...y), 3 * threshold);
  const layers: Picture["layers"] = [
    { kind: "line", name: parameter.id, x, y, colour },
    { kind: "points", name: "", x, y, colour, radius: 2.5 },
    { kind: "rule", name: `${Number((100 * level).toPrecision(4))} %`, at: threshold, along: "y", colour: curveColour(4, dark) },
  ];
  for (const side of [parameter.lower, parameter.upper]) {
    if (side.limit !== null && side.stop === "threshold") layers.push({ kind: "rule", name: "", at: side.limit, along: "x", colour: curveColour(7, dark) });
  }
  return {
    x: { label: parameter.id, log: false, air: 0.06 },
    y: { label: "loss of fit", log: false, range: [0, Math.max(1.3 * threshold, 1.05 * high)] },
    layers,
  };
}

export interface BandSeries {
  experiment: string;
  quantity: string;
  measured: boolean;
  time: number[];
  quantiles: Record<string, (number | null)[]>;
}

const QUANTILES = ["q2.5", "q25", "q50", "q75", "q97.5"];

/** The rows of the result, one series for each experiment and quantity. */
export function bandsOf(rows: Band[]): BandSeries[] {
  const found = new Map<string, BandSeries>();
  for (const row of rows) {
    const key = `${row.experiment}\n${row.quantity}`;
    let series = found.get(key);
    if (!series) {
      series = { experiment: row.experiment, quantity: row.quantity, measured: row.measured, time: [], quantiles: {} };
      for (const name of QUANTILES) series.quantiles[name] = [];
      found.set(key, series);
    }
    series.time.push(row.time);
    for (const name of QUANTILES) series.quantiles[name]?.push((row[name] as number | null | undefined) ?? null);
  }
  return [...found.values()];
}

export function bandPicture(series: BandSeries, colour: string): Picture {
  const q = (name: string) => series.quantiles[name] ?? [];
  return {
    x: { label: "time", log: false },
    y: { label: series.quantity, log: false },
    layers: [
      { kind: "band", name: "95 %", x: series.time, low: q("q2.5"), high: q("q97.5"), colour, opacity: 0.2 },
      { kind: "band", name: "50 %", x: series.time, low: q("q25"), high: q("q75"), colour, opacity: 0.3 },
      { kind: "line", name: "median", x: series.time, y: q("q50"), colour },
    ],
    legend: true,
  };
}
