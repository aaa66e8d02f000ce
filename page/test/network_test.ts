// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { edgePoint, type Place } from "../src/network/drawing.ts";
import { graphOf } from "../src/network/graph.ts";
import { layersOf, layOut } from "../src/network/layout.ts";
import type { Reaction } from "../src/types.ts";

const reaction = (name: string, reactants: [string, number][], products: [string, number][], modifiers: string[] = []): Reaction => ({
  name, reactants, products, modifiers, reversible: false, rate: "v",
});
const chain = graphOf([reaction("r1", [["A", 1]], [["B", 2]]), reaction("r2", [["B", 1]], [["C", 1]], ["A"])]);

test("species are shared, reactions stand between them", () => {
  assert.deepEqual(chain.nodes.map((node) => node.id), ["s:A", "r:r1", "s:B", "r:r2", "s:C"]);
  assert.deepEqual(chain.edges.map((edge) => edge.kind), ["consumes", "makes", "consumes", "makes", "acts"]);
  assert.equal(chain.edges[1]?.label, "2");
});

test("layers follow the flow, also around a cycle", () => {
  assert.deepEqual(layersOf(chain), [0, 1, 2, 3, 4]);
  const cycle = graphOf([reaction("r1", [["A", 1]], [["B", 1]]), reaction("r2", [["B", 1]], [["A", 1]])]);
  assert.ok(layersOf(cycle).every((layer) => layer >= 0));
});

test("places are the same every time, apart from each other, products to the right", () => {
  const places = layOut(chain);
  assert.deepEqual(places, layOut(chain));
  for (let i = 0; i < places.length; ++i) {
    for (let j = 0; j < i; ++j) {
      const a = places[i] as Place;
      const b = places[j] as Place;
      assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 20);
    }
  }
  assert.ok((places[0] as Place).x < (places[4] as Place).x);
  assert.deepEqual(layOut({ nodes: [], edges: [] }), []);
});

test("edges begin at the border of a box", () => {
  assert.deepEqual(edgePoint({ x: 0, y: 0 }, { width: 20, height: 10 }, { x: 100, y: 0 }, 0), { x: 10, y: 0 });
  assert.deepEqual(edgePoint({ x: 0, y: 0 }, { width: 20, height: 10 }, { x: 0, y: -50 }, 0), { x: 0, y: -5 });
});
