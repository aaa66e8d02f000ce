// SPDX-License-Identifier: Apache-2.0
// Slider values written into the model's text, where the text gives each a plain number.

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A copy of `text` with comments blanked, so that places in both agree. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|#[^\n]*|"[^"\n]*"/g, (found) => found.replace(/[^\n]/g, " "));
}

const NUMBER = "[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?";

/** Values whose only assignment is not a plain number are `left` as they are. */
export function putValues(
  text: string,
  values: Record<string, number>,
): { text: string; left: Record<string, number> } {
  const left: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const bare = withoutComments(text);
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_.'])${escapePattern(name)}(\\s*\\(\\s*0\\s*\\))?(\\s+in\\s+[\\p{L}\\p{N}_.]+)?\\s*=\\s*(${NUMBER})(?![\\p{L}\\p{N}_.(]|\\s*[-+*/^%])`, "gu");
    const found = [...bare.matchAll(pattern)];
    const all = [...bare.matchAll(new RegExp(`(?<![\\p{L}\\p{N}_.'])${escapePattern(name)}(\\s*\\(\\s*0\\s*\\))?(\\s+in\\s+[\\p{L}\\p{N}_.]+)?\\s*:?=(?![=>])`, "gu"))];
    const only = found[0];
    if (!only || all.length !== 1) {
      left[name] = value;
      continue;
    }
    const number = only[3] as string;
    const from = (only.index as number) + only[0].length - number.length;
    text = text.slice(0, from) + String(value) + text.slice(from + number.length);
  }
  return { text, left };
}
