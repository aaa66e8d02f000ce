// SPDX-License-Identifier: Apache-2.0
// The numbers behind a picture as a table.
import { csv, type Cells } from "../download.ts";
import type { Picture } from "./draw.ts";
import type { Values } from "./scale.ts";

/** Limits as tables of data write them. */
function withLimits(values: Values, sides: readonly unknown[]): Cells {
  return Array.from(values, (value, i) => (value !== null && sides[i] ? `${sides[i] === "below" ? "<" : ">"}${value}` : value));
}

/** The numbers behind a picture: an x and a y column for each curve. */
export function pictureCsv(picture: Picture): string {
  const names: string[] = [];
  const columns: Cells[] = [];
  for (const layer of picture.layers) {
    if (layer.kind === "line" || layer.kind === "points") {
      names.push(`${picture.x.label} of ${layer.name}`, layer.name);
      columns.push(layer.x, layer.kind === "points" && layer.limit ? withLimits(layer.y, layer.limit) : layer.y);
    } else if (layer.kind === "band") {
      names.push(`${picture.x.label} of ${layer.name}`, `${layer.name} low`, `${layer.name} high`);
      columns.push(layer.x, layer.low, layer.high);
    }
  }
  return csv(names, columns);
}
