// SPDX-License-Identifier: Apache-2.0
// Places for the nodes of a reaction graph: layers from left to right to begin with, then springs
// along the edges and repulsion between all nodes (Fruchterman and Reingold 1991), with a pull that
// keeps products to the right of their reactants. The same graph always gets the same places.
import type { Graph } from "./graph.ts";

export interface Place {
  x: number;
  y: number;
}

/** How many edges from a source each node is; cycles are cut where the search meets them. */
export function layersOf(graph: Graph): number[] {
  const n = graph.nodes.length;
  const next: number[][] = Array.from({ length: n }, () => []);
  const incoming = new Array<number>(n).fill(0);
  for (const edge of graph.edges) {
    if (edge.kind === "acts") continue;
    next[edge.from]?.push(edge.to);
    incoming[edge.to] = (incoming[edge.to] ?? 0) + 1;
  }
  const layer = new Array<number>(n).fill(-1);
  const visit = (start: number) => {
    layer[start] = 0;
    const queue = [start];
    for (let head = 0; head < queue.length; ++head) {
      const node = queue[head] as number;
      for (const to of next[node] ?? []) {
        if ((layer[to] as number) >= 0) continue;
        layer[to] = (layer[node] as number) + 1;
        queue.push(to);
      }
    }
  };
  for (let i = 0; i < n; ++i) if (incoming[i] === 0 && layer[i] === -1) visit(i);
  for (let i = 0; i < n; ++i) if (layer[i] === -1) visit(i);
  return layer;
}

const EDGE = 74; // length that an edge likes to have

export function layOut(graph: Graph, rounds = 400): Place[] {
  const n = graph.nodes.length;
  if (n === 0) return [];
  const layer = layersOf(graph);
  const counts = new Map<number, number>();
  const places: Place[] = layer.map((l) => {
    const k = counts.get(l) ?? 0;
    counts.set(l, k + 1);
    // Every second one below the axis, a little askew so that no two lie on one line.
    return { x: l * EDGE, y: (k % 2 === 0 ? 1 : -1) * Math.ceil(k / 2) * EDGE * 0.9 + ((l * 37) % 11) };
  });
  const dx = new Float64Array(n);
  const dy = new Float64Array(n);
  const turns = n > 250 ? Math.max(60, Math.round((rounds * 250 * 250) / (n * n))) : rounds;
  for (let turn = 0; turn < turns; ++turn) {
    const heat = EDGE * 0.5 * (1 - turn / turns);
    dx.fill(0);
    dy.fill(0);
    for (let i = 0; i < n; ++i) {
      const a = places[i] as Place;
      for (let j = i + 1; j < n; ++j) {
        const b = places[j] as Place;
        let x = a.x - b.x;
        let y = a.y - b.y;
        if (x === 0 && y === 0) {
          x = 0.1 * (i + 1);
          y = 0.1 * (j + 1);
        }
        const push = (EDGE * EDGE) / (x * x + y * y);
        dx[i] = (dx[i] as number) + x * push;
        dy[i] = (dy[i] as number) + y * push;
        dx[j] = (dx[j] as number) - x * push;
        dy[j] = (dy[j] as number) - y * push;
      }
    }
    for (const edge of graph.edges) {
      const a = places[edge.from] as Place;
      const b = places[edge.to] as Place;
      const x = b.x - a.x;
      const y = b.y - a.y;
      const pull = Math.hypot(x, y) / EDGE * (edge.kind === "acts" ? 0.4 : 1);
      const along = edge.kind === "acts" ? 0 : x < EDGE * 0.6 ? 14 : 0;
      dx[edge.from] = (dx[edge.from] as number) + x * pull - along;
      dy[edge.from] = (dy[edge.from] as number) + y * pull;
      dx[edge.to] = (dx[edge.to] as number) - x * pull + along;
      dy[edge.to] = (dy[edge.to] as number) - y * pull;
    }
    let cx = 0;
    let cy = 0;
    for (const place of places) {
      cx += place.x / n;
      cy += place.y / n;
    }
    for (let i = 0; i < n; ++i) {
      const place = places[i] as Place;
      // Parts that hang together by nothing stay in sight.
      const mx = (dx[i] as number) - 0.06 * (place.x - cx);
      const my = (dy[i] as number) - 0.1 * (place.y - cy);
      const size = Math.hypot(mx, my) || 1;
      const step = Math.min(size, heat) / size;
      place.x += mx * step;
      place.y += my * step;
    }
  }
  return places;
}
