// SPDX-License-Identifier: Apache-2.0
// Names that a formula uses, without those of functions and constants.
import { CONSTANTS, FUNCTIONS } from "./editor/language.ts";

const words = new Set([...CONSTANTS, ...FUNCTIONS]);

export function namesOf(formula: string): string[] {
  const names = new Set<string>();
  for (const match of formula.matchAll(/(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_.]*/gu)) {
    if (!words.has(match[0])) names.add(match[0]);
  }
  return [...names];
}

/** "A405 = 10*P + off" as its two sides. */
export function sidesOf(observe: string): { left: string; right: string } {
  const at = observe.indexOf("=");
  return at < 0
    ? { left: observe.trim(), right: "" }
    : { left: observe.slice(0, at).trim(), right: observe.slice(at + 1).trim() };
}
