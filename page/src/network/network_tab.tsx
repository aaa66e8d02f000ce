// SPDX-License-Identifier: Apache-2.0
// The reaction graph, drawn. Pointing at or focusing a node brings out its neighbours.
import { useMemo, useRef, useState } from "preact/hooks";
import { download } from "../download.ts";
import { Empty } from "../fields.tsx";
import { live } from "../live.ts";
import { useStore } from "../store.ts";
import type { Reaction } from "../types.ts";
import { work } from "../work.ts";
import { boxOf, edgePoint, extentOf, type Extent, type Place } from "./drawing.ts";
import { graphOf, type Graph, type GraphEdge } from "./graph.ts";
import { layOut } from "./layout.ts";

const LARGEST = 700; // nodes; beyond, a drawing tells nothing

function sentence(reaction: Reaction): string {
  const side = (list: Reaction["reactants"]) =>
    list.map(([name, n]) => (n === 1 || n === "1" ? name : `${n} ${name}`)).join(" + ") || "nothing";
  return `${side(reaction.reactants)} ${reaction.reversible ? "↔" : "→"} ${side(reaction.products)}; rate ${reaction.rate}`;
}

function Edge({ edge, graph, places, dim }: { edge: GraphEdge; graph: Graph; places: Place[]; dim: boolean }) {
  const from = places[edge.from] as Place;
  const to = places[edge.to] as Place;
  const a = edgePoint(from, boxOf(graph.nodes[edge.from]!), to);
  const b = edgePoint(to, boxOf(graph.nodes[edge.to]!), from, edge.kind === "makes" ? 4 : 2);
  return (
    <g class={`edge edge-${edge.kind}${dim ? " dim" : ""}`}>
      <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} marker-end={edge.kind === "makes" ? "url(#arrow)" : edge.kind === "acts" ? "url(#ring)" : undefined} />
      {edge.label && <text x={(a.x + b.x) / 2} y={(a.y + b.y) / 2 - 4}>{edge.label}</text>}
    </g>
  );
}

/** The drawing with its computed colours written into it, so that it stands alone. */
function standalone(svg: SVGSVGElement, extent: Extent): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll<SVGElement>("line,rect,text,path,circle");
  copy.querySelectorAll<SVGElement>("line,rect,text,path,circle").forEach((element, i) => {
    const style = getComputedStyle(originals[i] as Element);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor"]) {
      element.setAttribute(name, style.getPropertyValue(name));
    }
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "system-ui, sans-serif");
  copy.setAttribute("width", String(Math.round(extent.width)));
  copy.setAttribute("height", String(Math.round(extent.height)));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const background = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  for (const [name, value] of Object.entries({ x: extent.x, y: extent.y, width: extent.width, height: extent.height, fill: background })) {
    paper.setAttribute(name, String(value));
  }
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

async function savePng(svg: string, extent: Extent, name: string): Promise<void> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * extent.width;
  canvas.height = 2 * extent.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  canvas.toBlob((blob) => blob && download(name, blob));
}

export function NetworkTab() {
  const model = useStore(live, (value) => value.model);
  const title = useStore(work, (value) => value.title) || "network";
  const [chosen, setChosen] = useState<number | null>(null);
  const [zoom, setZoom] = useState(1);
  const svg = useRef<SVGSVGElement>(null);
  const reactions = model?.reactions ?? [];
  const graph = useMemo(() => graphOf(reactions), [model]);
  const places = useMemo(() => (graph.nodes.length <= LARGEST ? layOut(graph) : []), [graph]);
  const extent = useMemo(() => extentOf(graph, places), [places]);
  if (!model) return <Empty>The reaction graph appears here once the text can be read.</Empty>;
  if (reactions.length === 0) return <Empty>This model is written as equations; it has no reactions to draw.</Empty>;
  if (graph.nodes.length > LARGEST) {
    return <Empty>This network has {graph.nodes.length} species and reactions; drawn on one page it could not be read. “Equations” lists what happens.</Empty>;
  }
  const near = new Set<number>();
  if (chosen !== null) {
    near.add(chosen);
    for (const edge of graph.edges) {
      if (edge.from === chosen) near.add(edge.to);
      if (edge.to === chosen) near.add(edge.from);
    }
  }
  const node = chosen === null ? null : graph.nodes[chosen];
  const words = !node
    ? "Point at a species or a reaction."
    : node.kind === "species"
      ? `${node.name}: takes part in ${reactions.filter((r) => [...r.reactants, ...r.products].some(([name]) => name === node.name)).map((r) => r.name).join(", ") || "nothing"}`
      : `${node.name}: ${sentence(reactions.find((r) => r.name === node.name) as Reaction)}`;
  return (
    <div class="network">
      <div class="plot-tools">
        <span class="reading">{words}</span>
        <span class="buttons">
          <button type="button" class="quiet" aria-label="Larger" onClick={() => setZoom(Math.min(4, zoom * 1.25))}>+</button>
          <button type="button" class="quiet" aria-label="Smaller" onClick={() => setZoom(Math.max(0.25, zoom / 1.25))}>−</button>
          <button type="button" class="quiet" disabled={zoom === 1} onClick={() => setZoom(1)}>Fit</button>
          <span class="gap" />
          <button type="button" class="quiet" onClick={() => svg.current && void savePng(standalone(svg.current, extent), extent, `${title}-network.png`)}>PNG</button>
          <button type="button" class="quiet" onClick={() => svg.current && download(`${title}-network.svg`, standalone(svg.current, extent), "image/svg+xml")}>SVG</button>
        </span>
      </div>
      <div class="network-view">
        <svg
          ref={svg}
          viewBox={`${extent.x} ${extent.y} ${extent.width} ${extent.height}`}
          style={{ width: `${100 * zoom}%`, maxWidth: zoom === 1 ? `${Math.round(extent.width * 1.5)}px` : "none" }}
          role="group"
          aria-label="Reaction graph"
          onPointerLeave={() => setChosen(null)}
        >
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8Z" /></marker>
            <marker id="ring" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><circle cx="4" cy="4" r="3" /></marker>
          </defs>
          {graph.edges.map((edge, i) => (
            <Edge key={i} edge={edge} graph={graph} places={places} dim={chosen !== null && edge.from !== chosen && edge.to !== chosen} />
          ))}
          {graph.nodes.map((item, i) => {
            const place = places[i] as Place;
            const box = boxOf(item);
            return (
              <g key={item.id} class={`node node-${item.kind}${chosen !== null && !near.has(i) ? " dim" : ""}`} tabIndex={0} role="img" aria-label={`${item.kind} ${item.name}`}
                onPointerEnter={() => setChosen(i)} onFocus={() => setChosen(i)} onBlur={() => setChosen(null)}>
                <rect x={place.x - box.width / 2} y={place.y - box.height / 2} width={box.width} height={box.height} rx={item.kind === "species" ? 8 : 2} />
                {item.kind === "species" && <text x={place.x} y={place.y + 4.5}>{item.name}</text>}
              </g>
            );
          })}
        </svg>
      </div>
    </div>
  );
}
