// SPDX-License-Identifier: Apache-2.0
// From the compiler's places (lines and columns from 1, columns in code points) to offsets in the
// editor's text (UTF-16 units from 0).
import type { Diagnostic } from "../types.ts";

function unitsOf(line: string, column: number): number {
  let units = 0;
  let points = 1;
  for (const character of line) {
    if (points >= column) break;
    units += character.length;
    ++points;
  }
  return units;
}

/** The range of a diagnostic; at least one character wide where the line has one. */
export function rangeOfDiagnostic(text: string, diagnostic: Diagnostic): { from: number; to: number } {
  const lines = text.split("\n");
  const offsetAt = (line: number, column: number): number => {
    const index = Math.min(Math.max(line, 1), lines.length) - 1;
    let offset = 0;
    for (let i = 0; i < index; ++i) offset += (lines[i] as string).length + 1;
    const content = (lines[index] as string).replace(/\r$/, "");
    return offset + (line > lines.length ? content.length : unitsOf(content, column));
  };
  const from = offsetAt(diagnostic.line, diagnostic.column);
  let to = offsetAt(diagnostic.end_line ?? diagnostic.line, diagnostic.end_column ?? diagnostic.column + 1);
  if (to <= from) to = Math.min(text.length, from + 1);
  return { from: Math.min(from, text.length), to: Math.max(to, Math.min(from, text.length)) };
}
