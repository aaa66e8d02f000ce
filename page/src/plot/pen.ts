// SPDX-License-Identifier: Apache-2.0
// Two pens with the same few strokes: one for a canvas, one that writes SVG. What is drawn on the
// screen is therefore exactly what is exported.

export interface Stroke {
  colour: string;
  width?: number;
  dash?: number[];
}
export interface Writing {
  colour: string;
  size: number;
  align?: "start" | "middle" | "end";
  turned?: boolean; // reads upwards
  bold?: boolean;
}

/** Points are x, y pairs in one flat array; NaN lifts the pen. */
export type Path = ArrayLike<number>;

export interface Pen {
  line(path: Path, stroke: Stroke): void;
  fill(path: Path, colour: string, opacity: number): void;
  dot(x: number, y: number, radius: number, colour: string, hollow?: boolean): void;
  text(x: number, y: number, words: string, writing: Writing): void;
  clip(x: number, y: number, width: number, height: number): void;
  unclip(): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

export class CanvasPen implements Pen {
  constructor(private context: CanvasRenderingContext2D) {}

  private trace(path: Path): void {
    const { context } = this;
    context.beginPath();
    let down = false;
    for (let i = 0; i + 1 < path.length; i += 2) {
      const x = path[i] as number;
      const y = path[i + 1] as number;
      if (Number.isNaN(x) || Number.isNaN(y)) {
        down = false;
      } else if (down) {
        context.lineTo(x, y);
      } else {
        context.moveTo(x, y);
        down = true;
      }
    }
  }

  line(path: Path, stroke: Stroke): void {
    const { context } = this;
    this.trace(path);
    context.strokeStyle = stroke.colour;
    context.lineWidth = stroke.width ?? 1;
    context.lineJoin = "round";
    context.setLineDash(stroke.dash ?? []);
    context.stroke();
  }

  fill(path: Path, colour: string, opacity: number): void {
    this.trace(path);
    this.context.globalAlpha = opacity;
    this.context.fillStyle = colour;
    this.context.fill("evenodd");
    this.context.globalAlpha = 1;
  }

  dot(x: number, y: number, radius: number, colour: string, hollow = false): void {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (hollow) {
      context.setLineDash([]);
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.stroke();
    } else {
      context.fillStyle = colour;
      context.fill();
    }
  }

  text(x: number, y: number, words: string, writing: Writing): void {
    const { context } = this;
    context.font = `${writing.bold ? "600 " : ""}${writing.size}px ${FONT}`;
    context.fillStyle = writing.colour;
    context.textAlign = writing.align === "middle" ? "center" : (writing.align ?? "start");
    context.textBaseline = "alphabetic";
    if (writing.turned) {
      context.save();
      context.translate(x, y);
      context.rotate(-Math.PI / 2);
      context.fillText(words, 0, 0);
      context.restore();
    } else {
      context.fillText(words, x, y);
    }
  }

  clip(x: number, y: number, width: number, height: number): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip(): void {
    this.context.restore();
  }
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] as string);
}

export class SvgPen implements Pen {
  private parts: string[] = [];
  private clips = 0;

  private static data(path: Path, closed: boolean): string {
    let text = "";
    let down = false;
    for (let i = 0; i + 1 < path.length; i += 2) {
      const x = path[i] as number;
      const y = path[i + 1] as number;
      if (Number.isNaN(x) || Number.isNaN(y)) {
        if (down && closed) text += "Z";
        down = false;
        continue;
      }
      text += `${down ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
      down = true;
    }
    return closed && down ? text + "Z" : text;
  }

  line(path: Path, stroke: Stroke): void {
    const data = SvgPen.data(path, false);
    if (!data) return;
    const dash = stroke.dash?.length ? ` stroke-dasharray="${stroke.dash.join(" ")}"` : "";
    this.parts.push(
      `<path d="${data}" fill="none" stroke="${stroke.colour}" stroke-width="${stroke.width ?? 1}" stroke-linejoin="round"${dash}/>`,
    );
  }

  fill(path: Path, colour: string, opacity: number): void {
    const data = SvgPen.data(path, true);
    if (data) this.parts.push(`<path d="${data}" fill="${colour}" fill-opacity="${opacity}" fill-rule="evenodd"/>`);
  }

  dot(x: number, y: number, radius: number, colour: string, hollow = false): void {
    const paint = hollow ? `fill="none" stroke="${colour}" stroke-width="1.5"` : `fill="${colour}"`;
    this.parts.push(`<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${radius}" ${paint}/>`);
  }

  text(x: number, y: number, words: string, writing: Writing): void {
    const turn = writing.turned ? ` transform="rotate(-90 ${x.toFixed(1)} ${y.toFixed(1)})"` : "";
    const weight = writing.bold ? ' font-weight="600"' : "";
    this.parts.push(
      `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${writing.colour}" font-size="${writing.size}"${weight} text-anchor="${writing.align ?? "start"}"${turn}>${escapeXml(words)}</text>`,
    );
  }

  clip(x: number, y: number, width: number, height: number): void {
    const id = `clip${++this.clips}`;
    this.parts.push(
      `<clipPath id="${id}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${id})">`,
    );
  }

  unclip(): void {
    this.parts.push("</g>");
  }

  document(width: number, height: number, background: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family='${FONT}'>` +
      `<rect width="${width}" height="${height}" fill="${background}"/>${this.parts.join("\n")}</svg>\n`
    );
  }
}
