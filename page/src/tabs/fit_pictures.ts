// SPDX-License-Identifier: Apache-2.0
// Pictures of a fit: the objective over the run, and data with curves.
import { readTable } from "../data_table.ts";
import { curveColour } from "../palette.ts";
import type { Layer, Picture } from "../plot/draw.ts";
import type { DataFile, Job, MeasuredCurve } from "../types.ts";

/** The best objective over the run, on a log axis where it can be. */
export function tracePicture(job: Job, dark: boolean): Picture {
  const trace = job.trace ?? [];
  const x = trace.map((point) => point[0]);
  const y = trace.map((point) => point[1]);
  const log = y.length > 0 && y.every((value) => value !== null && value > 0);
  const colour = curveColour(0, dark);
  const layers: Layer[] = trace.length === 0
    ? []
    : [{ kind: "line", name: "best objective", x, y, colour }, { kind: "points", name: "", x, y, colour, radius: 2.5 }];
  return {
    x: { label: "steps of all descents", log: false, air: 0.02 },
    y: { label: "best objective", log },
    layers,
    empty: "The objective appears here while the fit runs.",
  };
}

/** The names of what was measured, in the order of the data. */
export function observablesOf(curves: MeasuredCurve[]): string[] {
  return [...new Set(curves.map((curve) => curve.name))];
}

/** One observable: its data and fitted curve in every experiment. */
export function fitPicture(curves: MeasuredCurve[], name: string, log: boolean, dark: boolean): Picture {
  const layers: Layer[] = [];
  curves
    .filter((curve) => curve.name === name)
    .forEach((curve, index) => {
      const colour = curveColour(index, dark);
      if (curve.curve.time.length > 0) {
        layers.push({ kind: "line", name: curve.experiment, x: curve.curve.time, y: curve.curve.value, colour });
      }
      layers.push({
        kind: "points",
        name: curve.curve.time.length > 0 ? "" : curve.experiment,
        x: curve.data.time,
        y: curve.data.value,
        error: curve.data.sd,
        limit: curve.data.limit,
        colour,
        radius: 2.5,
      });
    });
  const air = hasLimits(curves, name) ? 0.1 : 0.04; // room for the arrows of limits
  return { x: { label: "time", log: false, air: 0.02 }, y: { label: name, log, air }, layers, legend: true };
}

/** Whether some of the values of an observable are limits. */
export function hasLimits(curves: MeasuredCurve[], name: string): boolean {
  return curves.some((curve) => curve.name === name && curve.data.limit?.some((side) => side !== null));
}

/** Data and curves of a fit. Errors are shown only where they were measured: others are a scale. */
export function fittedCurves(job: Job | null, measured: MeasuredCurve[], petab: boolean): MeasuredCurve[] {
  const fitted = job?.simulations?.observables;
  if (!fitted) return measured;
  if (petab) return fitted;
  return fitted.map((curve) => {
    const own = measured.find((other) => other.name === curve.name && other.experiment === curve.experiment);
    const { sd, ...data } = curve.data;
    return { ...curve, data: own?.data.sd && sd ? { ...data, sd } : data };
  });
}

/** The data alone, before there is a fit. */
export function dataCurves(data: DataFile[]): MeasuredCurve[] {
  const curves: MeasuredCurve[] = [];
  for (const file of data) {
    const table = readTable(file.content);
    const column = (index: number) => table.rows.map((row) => row[index] ?? null);
    table.columns.forEach((name, index) => {
      if (index === 0 || /^sd\(/.test(name)) return;
      const sd = table.columns.indexOf(`sd(${name})`);
      const limit = table.limits.map((row) => row[index] ?? null);
      curves.push({
        name,
        experiment: file.name.replace(/\.[^.]*$/, ""),
        data: { time: column(0).map((t) => t ?? NaN), value: column(index), ...(sd > 0 ? { sd: column(sd) } : {}), ...(limit.some(Boolean) ? { limit } : {}) },
        curve: { time: [], value: [] },
      });
    });
  }
  return curves;
}
