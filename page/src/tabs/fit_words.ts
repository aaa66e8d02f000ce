// SPDX-License-Identifier: Apache-2.0
// The words of a fit, sorted by where the page shows them.
import { formatNumber } from "../numbers.ts";
import type { Bootstrap, FitParameter, Limits } from "../types.ts";

/** A line of the program as a sentence; what is in brackets or begins with a formula stays as it is. */
export function sentence(line: string): string {
  const text = line.trim();
  const first = /^[a-z]+[ ,:]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  const ended = /[.:!?]$/.test(first) || (first.startsWith("(") && first.endsWith(")"));
  return ended ? first : `${first}.`;
}

/** A formula in parts; between them a line may end. */
export function formulaParts(formula: string): string[] {
  return formula.split(/(?<=[-+*/])/).filter((part) => part !== "");
}

/** Limits of one interval; an open side is said. */
export function limitWords([low, high]: Limits): string {
  if (low === null && high === null) return "open";
  if (low === null) return `at most ${formatNumber(high, 5)}`;
  if (high === null) return `at least ${formatNumber(low, 5)}`;
  return `${formatNumber(low, 5)} to ${formatNumber(high, 5)}`;
}

/** Where the limits leave room between: which parts are inside; nothing for one interval. */
export function partsWords(intervals: Limits[]): string {
  if (intervals.length < 2) return "";
  return `in ${intervals.length} separate intervals: ${intervals.map(limitWords).join("; ")}`;
}

/**
 * Name, limits and percentiles of a bootstrap; none if it came to no limits. Data drawn around one
 * minimum cannot say that a parameter is not determined: what had no two limits before has none here.
 */
export function bootstrapRows(bootstrap: Bootstrap, parameters: FitParameter[]): [string, string, string][] {
  const known = (limits: Limits) => limits[0] !== null || limits[1] !== null;
  if (!bootstrap.parameters.some((parameter) => known(parameter.limits))) return [];
  return bootstrap.parameters.map(({ id, limits, percentile_limits }) => {
    const own = parameters.find((parameter) => parameter.id === id)?.limits;
    const closed = own !== undefined && own[0] !== null && own[1] !== null;
    return closed ? [id, limitWords(limits), limitWords(percentile_limits)] : [id, "–", "–"];
  });
}

/** What is said of the parameters, the heading of combinations (they have a table), and advice. */
export function splitWords(lines: string[]): { said: string[]; combined: string; advice: string[] } {
  const at = lines.findIndex((line) => line.startsWith("one more measurement"));
  const advice = at < 0 ? [] : lines.slice(at + 1);
  const said: string[] = [];
  let combined = "";
  for (const line of at < 0 ? lines : lines.slice(0, at)) {
    if (/^\s/.test(line)) continue;
    if (/combinations/.test(line) && line.endsWith(":")) combined = sentence(line.slice(0, -1)).replace(/\.$/, "");
    else said.push(line);
  }
  return { said, combined, advice };
}
