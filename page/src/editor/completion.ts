// SPDX-License-Identifier: Apache-2.0
// Completion of names of the model, functions, constants and keywords.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { formatNumber } from "../numbers.ts";
import type { ModelInfo } from "../types.ts";
import { CONSTANTS, FUNCTIONS, KEYWORDS } from "./language.ts";

const FIXED: Completion[] = [
  ...FUNCTIONS.map((label) => ({ label, type: "function", apply: `${label}(` })),
  ...CONSTANTS.map((label) => ({ label, type: "constant" })),
  ...KEYWORDS.map((label) => ({ label, type: "keyword" })),
];

/** Everything that may be written; a model's own names come first. */
export function completions(model: ModelInfo | null): Completion[] {
  const own: Completion[] = [];
  for (const species of model?.species ?? []) {
    own.push({ label: species.name, type: "variable", detail: `species, ${formatNumber(species.initial)} at the start`, boost: 3 });
  }
  for (const parameter of model?.parameters ?? []) {
    own.push({ label: parameter.name, type: "property", detail: `= ${formatNumber(parameter.value)}`, boost: 2 });
  }
  for (const reaction of model?.reactions ?? []) {
    if (!reaction.name.startsWith("_")) own.push({ label: reaction.name, type: "text", detail: "rate of the reaction", boost: 1 });
  }
  return [...own, ...FIXED];
}

export function completionSource(model: () => ModelInfo | null) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_.]*/u);
    if (!word && !context.explicit) return null;
    if (word && word.to - word.from < 2 && !context.explicit) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (/\/\/|#/.test(before)) return null; // comments
    return { from: word?.from ?? context.pos, options: completions(model()), validFor: /^[\p{L}\p{N}_.]*$/u };
  };
}
