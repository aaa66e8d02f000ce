// SPDX-License-Identifier: Apache-2.0
// A look into a table of measurements, to show it and to ask about its columns. The server reads it
// anew when it is used (docs/data-tables.md).
import { readNumber } from "./numbers.ts";
import type { Side } from "./types.ts";

export interface DataTable {
  settings: string[]; // header lines such as "S = 0.5"
  columns: string[];
  rows: (number | null)[][];
  limits: Side[][]; // of cells such as "<0.1", whose number is in `rows`
  problem: string; // empty if it looks right
}

function separatorOf(header: string): string {
  for (const separator of ["\t", ";", ","]) if (header.includes(separator)) return separator;
  return ",";
}

function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < line.length; ++i) {
    const c = line[i] as string;
    if (quoted) {
      if (c === '"' && line[i + 1] === '"') {
        cell += '"';
        ++i;
      } else if (c === '"') {
        quoted = false;
      } else {
        cell += c;
      }
    } else if (c === '"') {
      quoted = true;
    } else if (c === separator) {
      cells.push(cell.trim());
      cell = "";
    } else {
      cell += c;
    }
  }
  cells.push(cell.trim());
  return cells;
}

/** A number, or a limit: "<0.1", ">= 50". */
function readCell(text: string): { value: number | null; side: Side } {
  const limit = /^([<>])=?(.*)$/.exec(text);
  if (!limit) return { value: readNumber(text), side: null };
  const value = readNumber(limit[2] ?? "");
  return { value, side: value === null ? null : limit[1] === "<" ? "below" : "above" };
}

export function readTable(content: string): DataTable {
  const settings: string[] = [];
  const lines: string[] = [];
  for (const line of content.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const bare = line.trim();
    if (bare.startsWith("#")) settings.push(bare.replace(/^#+:?\s*/, ""));
    else if (bare !== "") lines.push(line);
  }
  const table: DataTable = { settings, columns: [], rows: [], limits: [], problem: "" };
  const header = lines[0];
  if (header === undefined) return { ...table, problem: "The table is empty." };
  const separator = separatorOf(header);
  table.columns = cellsOf(header, separator);
  if (table.columns[0]?.toLowerCase() !== "time") {
    table.problem = `The first column has to be called "time", not "${table.columns[0] ?? ""}".`;
  } else if (table.columns.length < 2) {
    table.problem = "There is no column beside the time.";
  }
  for (const line of lines.slice(1)) {
    const cells = cellsOf(line, separator);
    const read = table.columns.map((_, i) => readCell(cells[i] ?? ""));
    table.rows.push(read.map((cell) => cell.value));
    table.limits.push(read.map((cell) => cell.side));
  }
  if (!table.problem && table.rows.length === 0) table.problem = "There are no rows below the header.";
  return table;
}

/** The columns that hold measurements: neither the time nor errors `sd(NAME)`. */
export function measuredColumns(table: DataTable): string[] {
  return table.columns.slice(1).filter((name) => name !== "" && !/^sd\(.*\)$/.test(name));
}
