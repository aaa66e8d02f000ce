// SPDX-License-Identifier: Apache-2.0
// A picture (axes and layers) drawn with a pen. The frame that comes back says where data lie.
import type { Pen } from "./pen.ts";
import type { Side } from "../types.ts";
import { rangeOf, ticksOf, toUnit, type Scale, type Values } from "./scale.ts";

export interface Axis {
  label: string;
  log: boolean;
  range?: [number, number] | null; // fixed; otherwise from the data
  air?: number; // left free around the data, as a part of the axis
}

interface Named {
  name: string;
  colour: string;
}
export interface LineLayer extends Named {
  kind: "line";
  x: Values;
  y: Values;
  dash?: number[];
  width?: number;
}
export interface PointLayer extends Named {
  kind: "points";
  x: Values;
  y: Values;
  error?: Values | undefined;
  limit?: readonly (Side | undefined)[] | undefined; // "below": the value lies below this one
  radius?: number;
  hollow?: boolean;
}
export interface BandLayer extends Named {
  kind: "band";
  x: Values;
  low: Values;
  high: Values;
  opacity?: number;
}
export interface RegionLayer extends Named {
  kind: "region";
  rings: [number, number][][];
}
export interface RuleLayer extends Named {
  kind: "rule";
  at: number;
  along: "x" | "y"; // "x": a vertical line at x
}
export type Layer = LineLayer | PointLayer | BandLayer | RegionLayer | RuleLayer;

export interface Picture {
  x: Axis;
  y: Axis;
  layers: Layer[];
  legend?: boolean;
  equal?: boolean; // one unit is as long in x as in y
  empty?: string; // said instead of data if there is none
}

export interface Inks {
  paper: string;
  ink: string;
  faint: string;
  grid: string;
}

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  x: Scale;
  y: Scale;
}

function series(layers: Layer[], axis: "x" | "y"): Values[] {
  const found: Values[] = [];
  for (const layer of layers) {
    if (layer.kind === "line" || layer.kind === "points") found.push(layer[axis]);
    if (layer.kind === "band") found.push(...(axis === "x" ? [layer.x] : [layer.low, layer.high]));
    if (layer.kind === "rule" && layer.along === axis) found.push([layer.at]);
  }
  return found;
}

export function scaleOf(picture: Picture, axis: "x" | "y"): Scale {
  const { log, range, air } = picture[axis];
  if (range) return { log, min: range[0], max: range[1] };
  return rangeOf(series(picture.layers, axis), log, air ?? (axis === "x" && !log ? 0 : 0.04));
}

export function frameOf(picture: Picture, width: number, height: number): Frame {
  const left = 74;
  const top = 14 + (picture.legend ? 20 : 0);
  const x = scaleOf(picture, "x");
  const y = scaleOf(picture, "y");
  let wide = Math.max(10, width - left - 16);
  let high = Math.max(10, height - top - 46);
  if (picture.equal) {
    const unit = Math.min(wide / (x.max - x.min), high / (y.max - y.min));
    wide = unit * (x.max - x.min);
    high = unit * (y.max - y.min);
  }
  return { left, top, width: wide, height: high, x, y };
}

export function toX(frame: Frame, value: number | null | undefined): number {
  return value === null || value === undefined ? NaN : frame.left + toUnit(frame.x, value) * frame.width;
}
export function toY(frame: Frame, value: number | null | undefined): number {
  return value === null || value === undefined
    ? NaN
    : frame.top + (1 - toUnit(frame.y, value)) * frame.height;
}

/** Far outside is as good as anywhere outside; keeps numbers small for the pens. */
function near(value: number): number {
  return value < -1e5 ? -1e5 : value > 1e5 ? 1e5 : value;
}

/** A bar at the limit, and an arrow to the side where the value lies. */
function drawLimit(pen: Pen, frame: Frame, x: number, y: number, side: "below" | "above", colour: string): void {
  const down = side === "below" ? 1 : -1;
  const room = side === "below" ? frame.top + frame.height - y : y - frame.top;
  const tip = y + down * Math.min(13, Math.max(7, room - 1));
  pen.line([x - 5, y, x + 5, y], { colour, width: 2 });
  pen.line([x, y, x, tip], { colour, width: 1.4 });
  pen.line([x - 3, tip - down * 4, x, tip, x + 3, tip - down * 4], { colour, width: 1.4 });
}

function drawLayer(pen: Pen, frame: Frame, layer: Layer): void {
  switch (layer.kind) {
    case "line": {
      const path = new Float64Array(2 * layer.x.length);
      for (let i = 0; i < layer.x.length; ++i) {
        path[2 * i] = near(toX(frame, layer.x[i]));
        path[2 * i + 1] = near(toY(frame, layer.y[i]));
      }
      pen.line(path, { colour: layer.colour, width: layer.width ?? 1.8, dash: layer.dash ?? [] });
      break;
    }
    case "points":
      for (let i = 0; i < layer.x.length; ++i) {
        const x = toX(frame, layer.x[i]);
        const y = toY(frame, layer.y[i]);
        if (Number.isNaN(x) || Number.isNaN(y)) continue;
        const side = layer.limit?.[i];
        if (side) {
          drawLimit(pen, frame, x, y, side, layer.colour);
          continue;
        }
        const error = layer.error?.[i];
        if (error) {
          const value = layer.y[i] as number;
          const low = toY(frame, value - error);
          const high = toY(frame, value + error);
          pen.line([x, Number.isNaN(low) ? frame.top + frame.height : low, x, high], { colour: layer.colour });
        }
        pen.dot(x, y, layer.radius ?? 3, layer.colour, layer.hollow ?? false);
      }
      break;
    case "band": {
      const path: number[] = [];
      for (let i = 0; i < layer.x.length; ++i) path.push(near(toX(frame, layer.x[i])), near(toY(frame, layer.high[i])));
      for (let i = layer.x.length - 1; i >= 0; --i) {
        const low = toY(frame, layer.low[i]);
        path.push(near(toX(frame, layer.x[i])), Number.isNaN(low) ? frame.top + frame.height : near(low));
      }
      pen.fill(path, layer.colour, layer.opacity ?? 0.2);
      break;
    }
    case "region": {
      const path: number[] = [];
      for (const ring of layer.rings) {
        for (const [x, y] of ring) path.push(near(toX(frame, x)), near(toY(frame, y)));
        path.push(NaN, NaN);
      }
      pen.fill(path, layer.colour, 0.14);
      pen.line(path, { colour: layer.colour, width: 1.2 });
      break;
    }
    case "rule": {
      const x = toX(frame, layer.at);
      const y = toY(frame, layer.at);
      const ends = layer.along === "x"
        ? [x, frame.top, x, frame.top + frame.height]
        : [frame.left, y, frame.left + frame.width, y];
      if (!ends.some(Number.isNaN)) pen.line(ends, { colour: layer.colour, dash: [4, 4] });
      break;
    }
  }
}

function drawAxes(pen: Pen, picture: Picture, frame: Frame, inks: Inks): void {
  const { left, top, width, height } = frame;
  const bottom = top + height;
  for (const tick of ticksOf(frame.x, Math.max(2, Math.floor(width / 80)))) {
    const x = Math.round(toX(frame, tick.value)) + 0.5;
    if (x < left || x > left + width + 1) continue;
    if (tick.label) {
      pen.line([x, top, x, bottom], { colour: inks.grid });
      pen.text(x, bottom + 17, tick.label, { colour: inks.faint, size: 12, align: "middle" });
    }
    pen.line([x, bottom, x, bottom + (tick.label ? 5 : 3)], { colour: inks.faint });
  }
  for (const tick of ticksOf(frame.y, Math.max(2, Math.floor(height / 50)))) {
    const y = Math.round(toY(frame, tick.value)) + 0.5;
    if (y < top - 1 || y > bottom + 1) continue;
    if (tick.label) {
      pen.line([left, y, left + width, y], { colour: inks.grid });
      pen.text(left - 9, y + 4, tick.label, { colour: inks.faint, size: 12, align: "end" });
    }
    pen.line([left - (tick.label ? 5 : 3), y, left, y], { colour: inks.faint });
  }
  pen.line([left, top, left, bottom, left + width, bottom], { colour: inks.faint });
  pen.text(left + width / 2, bottom + 38, picture.x.label, { colour: inks.ink, size: 13, align: "middle" });
  pen.text(16, top + height / 2, picture.y.label, { colour: inks.ink, size: 13, align: "middle", turned: true });
}

function drawLegend(pen: Pen, picture: Picture, frame: Frame, inks: Inks): void {
  let x = frame.left;
  for (const layer of picture.layers) {
    if (!layer.name) continue;
    const wide = 34 + layer.name.length * 7;
    if (x + wide > frame.left + frame.width) {
      pen.text(x, frame.top - 10, "…", { colour: inks.faint, size: 12 });
      break;
    }
    if (layer.kind === "band" || layer.kind === "region") {
      const y = frame.top - 14;
      pen.fill([x, y - 4, x + 18, y - 4, x + 18, y + 4, x, y + 4], layer.colour, layer.kind === "band" ? (layer.opacity ?? 0.2) : 0.14);
    } else if (layer.kind === "points") {
      pen.dot(x + 9, frame.top - 14, 3, layer.colour, layer.hollow ?? false);
    } else {
      const dash = layer.kind === "line" ? (layer.dash ?? []) : layer.kind === "rule" ? [4, 4] : [];
      pen.line([x, frame.top - 14, x + 18, frame.top - 14], { colour: layer.colour, width: 2, dash });
    }
    pen.text(x + 23, frame.top - 10, layer.name, { colour: inks.ink, size: 12 });
    x += wide;
  }
}

/** Draws everything; the caller has cleared the paper. */
export function drawPicture(pen: Pen, picture: Picture, width: number, height: number, inks: Inks): Frame {
  const frame = frameOf(picture, width, height);
  drawAxes(pen, picture, frame, inks);
  pen.clip(frame.left, frame.top, frame.width, frame.height);
  for (const layer of picture.layers) drawLayer(pen, frame, layer);
  pen.unclip();
  if (picture.legend) drawLegend(pen, picture, frame, inks);
  if (picture.layers.length === 0 && picture.empty) {
    pen.text(frame.left + frame.width / 2, frame.top + frame.height / 2, picture.empty, {
      colour: inks.faint,
      size: 14,
      align: "middle",
    });
  }
  return frame;
}
