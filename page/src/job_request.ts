// SPDX-License-Identifier: Apache-2.0
// What a fit, a profile or an ensemble of the present work is asked for.
import { sidesOf } from "./formula_names.ts";
import type { Work } from "./types.ts";
import { sourceOf } from "./work.ts";

/** The problem itself: model, data, formulas of what is measured, and unknowns; or a PEtab problem. */
export function problemOf(value: Work): Record<string, unknown> {
  if (value.petab) return { petab: value.petab, title: value.title };
  return {
    source: sourceOf(value),
    title: value.title,
    data: value.data,
    observe: value.observe.filter((formula) => sidesOf(formula).right !== ""),
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
