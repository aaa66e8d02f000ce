// SPDX-License-Identifier: Apache-2.0
// The reactions of a model as a graph of species and reactions.
import type { Reaction } from "../types.ts";

export interface GraphNode {
  id: string; // "s:NAME" or "r:NAME"
  kind: "species" | "reaction";
  name: string;
}
export interface GraphEdge {
  from: number;
  to: number;
  kind: "consumes" | "makes" | "acts";
  label: string; // stoichiometry, if it is not one
}
export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

function weight(stoichiometry: number | string): string {
  return stoichiometry === 1 || stoichiometry === "1" ? "" : String(stoichiometry);
}

export function graphOf(reactions: Reaction[]): Graph {
  const nodes: GraphNode[] = [];
  const index = new Map<string, number>();
  const node = (kind: GraphNode["kind"], name: string): number => {
    const id = `${kind === "species" ? "s" : "r"}:${name}`;
    let at = index.get(id);
    if (at === undefined) {
      at = nodes.length;
      index.set(id, at);
      nodes.push({ id, kind, name });
    }
    return at;
  };
  const edges: GraphEdge[] = [];
  for (const reaction of reactions) {
    const reactants = reaction.reactants.map(([name, n]) => ({ at: node("species", name), label: weight(n) }));
    const centre = node("reaction", reaction.name);
    for (const { at, label } of reactants) edges.push({ from: at, to: centre, kind: "consumes", label });
    for (const [name, n] of reaction.products) edges.push({ from: centre, to: node("species", name), kind: "makes", label: weight(n) });
    for (const name of reaction.modifiers) edges.push({ from: node("species", name), to: centre, kind: "acts", label: "" });
  }
  return { nodes, edges };
}
