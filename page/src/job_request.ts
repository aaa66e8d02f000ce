// SPDX-License-Identifier: Apache-2.0
// What a fit, a profile or an ensemble of the present work is asked for.
import { sidesOf } from "./formula_names.ts";
import type { Work } from "./types.ts";
import { sourceOf } from "./empty_work.ts";

/** The formulas of a field that holds one in each line. */
export function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** What every kind of job is asked for beside the problem. */
function commonOptions(value: Work): Record<string, unknown> {
  const derive = linesOf(value.fit.derive);
  return { seed: value.fit.seed, ...(derive.length > 0 ? { derive } : {}) };
}

function levelOf(value: Work): Record<string, unknown> {
  return value.fit.level === null ? {} : { level: value.fit.level };
}

export function fitOptions(value: Work): Record<string, unknown> {
  const { method, starts, bootstrap, bootstrapKind } = value.fit;
  return {
    method,
    ...(starts === null ? {} : { starts }),
    ...commonOptions(value),
    ...levelOf(value),
    ...(bootstrap === null ? {} : { bootstrap, bootstrap_kind: bootstrapKind }),
  };
}

/** Profiles and ensembles begin at the answer of a fit. */
export function profileOptions(value: Work, fit: string): Record<string, unknown> {
  return { start_from_job: fit, ...commonOptions(value), ...levelOf(value) };
}

export function ensembleOptions(value: Work, fit: string, samples: number | null): Record<string, unknown> {
  return { start_from_job: fit, ...commonOptions(value), ...(samples ? { samples } : {}) };
}

/** The problem itself: model, data, formulas of what is measured, and unknowns; or a PEtab problem. */
export function problemOf(value: Work): Record<string, unknown> {
  if (value.petab) return { petab: value.petab, title: value.title };
  return {
    source: sourceOf(value),
    title: value.title,
    data: value.data,
    observe: value.observe.filter((formula) => sidesOf(formula).right !== ""),
    noise: linesOf(value.fit.noise),
    ...(value.fit.weights ? { weights: value.fit.weights } : {}),
    ...(value.fit.distribution ? { noise_distribution: value.fit.distribution } : {}),
    estimate: value.estimate.map((unknown) => ({
      name: unknown.name,
      ...(unknown.start !== null ? { start: unknown.start } : {}),
      ...(unknown.low !== null ? { low: unknown.low } : {}),
      ...(unknown.high !== null ? { high: unknown.high } : {}),
      ...(unknown.scale ? { scale: unknown.scale } : {}),
    })),
  };
}

/** Why a fit cannot begin yet, in words; empty if it can. */
export function whatIsMissing(value: Work, outputs: string[], columns: string[]): string {
  if (value.petab) return "";
  if (value.data.length === 0) return "Add a table of measurements first.";
  const formulas = new Map(value.observe.map((formula) => [sidesOf(formula).left, sidesOf(formula).right]));
  const unknown = columns.filter((name) => !outputs.includes(name) && !formulas.get(name));
  if (unknown.length > 0) return `Say what ${unknown.join(" and ")} measures.`;
  if (value.estimate.length === 0) return "Choose at least one parameter to estimate.";
  const half = value.estimate.find((item) => (item.low === null) !== (item.high === null));
  if (half) return `Give ${half.name} both bounds or none.`;
  return "";
}
