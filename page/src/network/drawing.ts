// SPDX-License-Identifier: Apache-2.0
// The reaction graph as shapes: boxes of species, squares of reactions, arrows between them.
import type { Graph, GraphNode } from "./graph.ts";

export interface Place {
  x: number;
  y: number;
}

export interface Box {
  width: number;
  height: number;
}

export function boxOf(node: GraphNode): Box {
  if (node.kind === "reaction") return { width: 12, height: 12 };
  return { width: Math.max(34, 16 + 7.6 * node.name.length), height: 28 };
}

/** Where the line from the centre of a box towards `other` leaves it, with a small gap. */
export function edgePoint(from: Place, box: Box, other: Place, gap = 2): Place {
  const x = other.x - from.x;
  const y = other.y - from.y;
  const length = Math.hypot(x, y);
  if (length === 0) return from;
  const reach = Math.min(
    x === 0 ? Infinity : (box.width / 2 + gap) / Math.abs(x / length),
    y === 0 ? Infinity : (box.height / 2 + gap) / Math.abs(y / length),
  );
  const part = Math.min(reach, length) / length;
  return { x: from.x + x * part, y: from.y + y * part };
}

export interface Extent {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function extentOf(graph: Graph, places: Place[]): Extent {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  graph.nodes.forEach((node, i) => {
    const place = places[i] as Place;
    const box = boxOf(node);
    left = Math.min(left, place.x - box.width / 2);
    right = Math.max(right, place.x + box.width / 2);
    top = Math.min(top, place.y - box.height / 2);
    bottom = Math.max(bottom, place.y + box.height / 2);
  });
  const air = 16;
  return { x: left - air, y: top - air, width: right - left + 2 * air, height: bottom - top + 2 * air };
}
