// SPDX-License-Identifier: Apache-2.0
// Hands a file made on the page to the browser, and writes tables as CSV.

export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function cell(value: string): string {
  return /[",\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value;
}

export type Cells = ArrayLike<number | string | null>;

/** Columns of equal length as CSV in full precision; what is not finite stays empty. */
export function csv(names: string[], columns: Cells[]): string {
  const rows = [names.map(cell).join(",")];
  const count = Math.max(0, ...columns.map((column) => column.length));
  for (let i = 0; i < count; ++i) {
    rows.push(
      columns
        .map((column) => {
          const value = column[i];
          if (typeof value === "string") return cell(value);
          return value === null || value === undefined || !Number.isFinite(value) ? "" : String(value);
        })
        .join(","),
    );
  }
  return rows.join("\n") + "\n";
}
