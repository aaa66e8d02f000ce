// SPDX-License-Identifier: Apache-2.0
// Places for the nodes of a reaction graph: layers from left to right to begin with, then springs
// along the edges and repulsion between all nodes (Fruchterman and Reingold 1991), with a pull that
// keeps products to the right of their reactants. The same graph always gets the same places.
import { boxOf, type Place } from "./drawing.ts";
import type { Graph, GraphNode } from "./graph.ts";

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

/** The length that an edge likes to have: long names need more room. */
function edgeLength(graph: Graph): number {
  const widths = graph.nodes.filter((node) => node.kind === "species").map((node) => boxOf(node).width);
  const mean = widths.reduce((sum, width) => sum + width, 0) / Math.max(1, widths.length);
  return 40 + 0.45 * mean;
}

/** Boxes that lie on each other are moved apart along the shorter way. */
function separate(graph: Graph, places: Place[], rounds: number): void {
  const gap = 8;
  for (let round = 0; round < rounds; ++round) {
    let moved = false;
    for (let i = 0; i < places.length; ++i) {
      const a = places[i] as Place;
      const boxA = boxOf(graph.nodes[i] as GraphNode);
      for (let j = i + 1; j < places.length; ++j) {
        const b = places[j] as Place;
        const boxB = boxOf(graph.nodes[j] as GraphNode);
        const x = (boxA.width + boxB.width) / 2 + gap - Math.abs(a.x - b.x);
        const y = (boxA.height + boxB.height) / 2 + gap - Math.abs(a.y - b.y);
        if (x <= 0 || y <= 0) continue;
        moved = true;
        if (y <= x) {
          const by = (a.y <= b.y ? y : -y) / 2;
          a.y -= by;
          b.y += by;
        } else {
          const by = (a.x <= b.x ? x : -x) / 2;
          a.x -= by;
          b.x += by;
        }
      }
    }
    if (!moved) return;
  }
}

export function layOut(graph: Graph, rounds = 400): Place[] {
  const n = graph.nodes.length;
  if (n === 0) return [];
  const edge = edgeLength(graph);
  const reach = 3.2 * edge; // beyond it nodes do not feel each other: large graphs stay dense
  const layer = layersOf(graph);
  const counts = new Map<number, number>();
  const places: Place[] = layer.map((l) => {
    const k = counts.get(l) ?? 0;
    counts.set(l, k + 1);
    // Every second one below the axis, a little askew so that no two lie on one line.
    return { x: l * edge, y: (k % 2 === 0 ? 1 : -1) * Math.ceil(k / 2) * edge * 0.9 + ((l * 37) % 11) };
  });
  const dx = new Float64Array(n);
  const dy = new Float64Array(n);
  const move = (i: number, x: number, y: number) => {
    dx[i] = (dx[i] as number) + x;
    dy[i] = (dy[i] as number) + y;
  };
  const turns = n > 250 ? Math.max(60, Math.round((rounds * 250 * 250) / (n * n))) : rounds;
  for (let turn = 0; turn < turns; ++turn) {
    const heat = edge * 0.5 * (1 - turn / turns);
    dx.fill(0);
    dy.fill(0);
    for (let i = 0; i < n; ++i) {
      const a = places[i] as Place;
      for (let j = i + 1; j < n; ++j) {
        const b = places[j] as Place;
        let x = a.x - b.x;
        let y = a.y - b.y;
        if (Math.abs(x) > reach || Math.abs(y) > reach) continue;
        if (x === 0 && y === 0) {
          x = 0.1 * (i + 1);
          y = 0.1 * (j + 1);
        }
        const push = (edge * edge) / (x * x + y * y);
        move(i, x * push, y * push);
        move(j, -x * push, -y * push);
      }
    }
    for (const { from, to, kind } of graph.edges) {
      const a = places[from] as Place;
      const b = places[to] as Place;
      const x = b.x - a.x;
      const y = b.y - a.y;
      const pull = (Math.hypot(x, y) / edge) * (kind === "acts" ? 0.6 : 1);
      const along = kind !== "acts" && x < edge * 0.6 ? 0.2 * edge : 0; // products go to the right
      move(from, x * pull - along, y * pull);
      move(to, -x * pull + along, -y * pull);
    }
    let cx = 0;
    let cy = 0;
    for (const place of places) {
      cx += place.x / n;
      cy += place.y / n;
    }
    for (let i = 0; i < n; ++i) {
      const place = places[i] as Place;
      // Parts that hang together by nothing stay in sight; screens are wider than high.
      move(i, -0.06 * (place.x - cx), -0.12 * (place.y - cy));
      const size = Math.hypot(dx[i] as number, dy[i] as number) || 1;
      const step = Math.min(size, heat) / size;
      place.x += (dx[i] as number) * step;
      place.y += (dy[i] as number) * step;
    }
  }
  separate(graph, places, 60);
  return places;
}
