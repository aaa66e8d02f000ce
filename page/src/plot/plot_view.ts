// SPDX-License-Identifier: Apache-2.0
// A picture on the screen: drag to zoom into a box, Shift-drag to move, Ctrl-wheel or + and − to
// zoom, arrows to move, 0 or a double click for everything. Pointing at it reads values.
import { formatNumber } from "../numbers.ts";
import { drawPicture, scaleOf, toX, toY, type Frame, type Inks, type Picture } from "./draw.ts";
import { CanvasPen, SvgPen } from "./pen.ts";
import { fromUnit, shifted, zoomed, type Scale } from "./scale.ts";

type Range = [number, number];
interface Zoom {
  x: Range;
  y: Range;
}

let inks: Inks | null = null;
let inksOf = "";

/** The colours of the style sheet; asking for them costs a layout, so only once for each theme. */
function currentInks(): Inks {
  const theme = document.documentElement.dataset["theme"] ?? "";
  if (!inks || theme !== inksOf) {
    const style = getComputedStyle(document.documentElement);
    const pick = (name: string) => style.getPropertyValue(name).trim();
    inks = { paper: pick("--paper"), ink: pick("--ink"), faint: pick("--faint"), grid: pick("--grid") };
    inksOf = theme;
  }
  return inks;
}

export class PlotView {
  private canvas = document.createElement("canvas");
  private over = document.createElement("canvas");
  private picture: Picture | null = null;
  private frame: Frame | null = null;
  private zoom: Zoom | null = null;
  private drag: { x: number; y: number; move: boolean } | null = null;
  private observer: ResizeObserver;
  private width = 0;
  private height = 0;

  /** `readout` gets what the pointer is at; `zoomChanged` is told when there is a zoom or none. */
  constructor(
    private host: HTMLElement,
    private readout: (text: string) => void = () => {},
    private zoomChanged: (zoomed: boolean) => void = () => {},
  ) {
    this.canvas.className = "plot-paper";
    this.over.className = "plot-over";
    host.append(this.canvas, this.over);
    host.addEventListener("pointerdown", this.pointerDown);
    host.addEventListener("pointermove", this.pointerMove);
    host.addEventListener("pointerup", this.pointerUp);
    host.addEventListener("pointercancel", this.pointerCancel);
    host.addEventListener("pointerleave", this.pointerLeave);
    host.addEventListener("dblclick", this.reset);
    host.addEventListener("wheel", this.wheel, { passive: false });
    host.addEventListener("keydown", this.key);
    this.observer = new ResizeObserver(() => {
      this.measure();
      this.redraw();
    });
    this.observer.observe(host);
    this.measure();
  }

  destroy(): void {
    this.observer.disconnect();
    this.canvas.remove();
    this.over.remove();
  }

  show(picture: Picture): void {
    const old = this.picture;
    // Other axes: the zoom means nothing any more.
    if (old && (old.x.label !== picture.x.label || old.x.log !== picture.x.log || old.y.log !== picture.y.log)) {
      this.setZoom(null);
    }
    this.picture = picture;
    this.redraw();
  }

  reset = (): void => {
    this.setZoom(null);
    this.redraw();
  };

  zoomBy(factor: number): void {
    this.zoomAround(0.5, 0.5, factor);
  }

  /** The picture as seen, with a legend, for export. */
  svg(width = 900, height = 560): string {
    const pen = new SvgPen();
    const colours = currentInks();
    drawPicture(pen, { ...this.visible(), legend: true }, width, height, colours);
    return pen.document(width, height, colours.paper);
  }

  png(width = 900, height = 560, density = 2): Promise<Blob> {
    const canvas = document.createElement("canvas");
    canvas.width = width * density;
    canvas.height = height * density;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const colours = currentInks();
    context.scale(density, density);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, width, height);
    drawPicture(new CanvasPen(context), { ...this.visible(), legend: true }, width, height, colours);
    return new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
  }

  private visible(): Picture {
    const picture = this.picture ?? { x: { label: "", log: false }, y: { label: "", log: false }, layers: [] };
    if (!this.zoom) return picture;
    return { ...picture, x: { ...picture.x, range: this.zoom.x }, y: { ...picture.y, range: this.zoom.y } };
  }

  private setZoom(zoom: Zoom | null): void {
    const changed = (zoom === null) !== (this.zoom === null);
    this.zoom = zoom;
    if (changed) this.zoomChanged(zoom !== null);
  }

  // Kept, because asking for it while drawing would lay out the whole page each time.
  private measure(): void {
    this.width = this.host.clientWidth;
    this.height = this.host.clientHeight;
  }

  redraw(): void {
    if (!this.picture) return;
    const { width, height } = this;
    if (width < 20 || height < 20) return;
    const density = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.over]) {
      const wide = Math.round(width * density);
      const high = Math.round(height * density);
      if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide;
        canvas.height = high;
      }
    }
    const context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    this.frame = drawPicture(new CanvasPen(context), this.visible(), width, height, currentInks());
    this.clearOver();
  }

  private clearOver(): CanvasRenderingContext2D {
    const context = this.over.getContext("2d") as CanvasRenderingContext2D;
    const density = window.devicePixelRatio || 1;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, this.over.width, this.over.height);
    return context;
  }

  private at(event: PointerEvent | WheelEvent): { x: number; y: number } {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private parts(x: number, y: number): { x: number; y: number } {
    const frame = this.frame as Frame;
    return { x: (x - frame.left) / frame.width, y: 1 - (y - frame.top) / frame.height };
  }

  private apply(x: Scale, y: Scale): void {
    if (!(x.max > x.min) || !(y.max > y.min)) return;
    this.setZoom({ x: [x.min, x.max], y: [y.min, y.max] });
    this.redraw();
  }

  private zoomAround(px: number, py: number, factor: number): void {
    const picture = this.visible();
    this.apply(zoomed(scaleOf(picture, "x"), px, factor), zoomed(scaleOf(picture, "y"), py, factor));
  }

  private moveBy(dx: number, dy: number): void {
    const picture = this.visible();
    this.apply(shifted(scaleOf(picture, "x"), dx), shifted(scaleOf(picture, "y"), dy));
  }

  private pointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 || !this.frame || event.pointerType === "touch") return;
    this.host.setPointerCapture(event.pointerId);
    this.drag = { ...this.at(event), move: event.shiftKey };
  };

  private pointerMove = (event: PointerEvent): void => {
    if (!this.frame) return;
    const here = this.at(event);
    if (this.drag?.move) {
      const { width, height } = this.frame;
      this.moveBy(-(here.x - this.drag.x) / width, (here.y - this.drag.y) / height);
      this.drag = { ...here, move: true };
    } else if (this.drag) {
      const context = this.clearOver();
      context.fillStyle = currentInks().faint;
      context.globalAlpha = 0.18;
      context.fillRect(this.drag.x, this.drag.y, here.x - this.drag.x, here.y - this.drag.y);
      context.globalAlpha = 1;
    } else {
      this.read(here.x, here.y);
    }
  };

  private pointerUp = (event: PointerEvent): void => {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.move || !this.frame) return;
    const here = this.at(event);
    this.clearOver();
    if (Math.abs(here.x - drag.x) < 6 || Math.abs(here.y - drag.y) < 6) return;
    const a = this.parts(drag.x, drag.y);
    const b = this.parts(here.x, here.y);
    const { x, y } = this.frame;
    const clamp = (v: number) => Math.min(1, Math.max(0, v));
    const cut = (scale: Scale, p: number, q: number): Scale => ({
      log: scale.log,
      min: fromUnit(scale, clamp(Math.min(p, q))),
      max: fromUnit(scale, clamp(Math.max(p, q))),
    });
    this.apply(cut(x, a.x, b.x), cut(y, a.y, b.y));
  };

  private pointerCancel = (): void => {
    this.drag = null;
    this.clearOver();
  };

  private pointerLeave = (): void => {
    if (!this.drag) this.clearOver();
    this.readout("");
  };

  private wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey || !this.frame) return; // a plain wheel scrolls the page
    event.preventDefault();
    const here = this.at(event);
    const part = this.parts(here.x, here.y);
    this.zoomAround(part.x, part.y, Math.exp(Math.sign(event.deltaY) * 0.2));
  };

  private key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 0.1;
    switch (event.key) {
      case "+":
      case "=": this.zoomBy(1 / 1.4); break;
      case "-": this.zoomBy(1.4); break;
      case "0": this.reset(); break;
      case "ArrowLeft": this.moveBy(-step, 0); break;
      case "ArrowRight": this.moveBy(step, 0); break;
      case "ArrowUp": this.moveBy(0, step); break;
      case "ArrowDown": this.moveBy(0, -step); break;
      default: return;
    }
    event.preventDefault();
  };

  /** Marks the datum nearest to the pointer and says its values. */
  private read(px: number, py: number): void {
    const frame = this.frame as Frame;
    let best: { x: number; y: number; words: string; colour: string } | null = null;
    let distance = 40 * 40;
    for (const layer of this.picture?.layers ?? []) {
      if (layer.kind !== "line" && layer.kind !== "points") continue;
      for (let i = 0; i < layer.x.length; ++i) {
        const x = toX(frame, layer.x[i]);
        const y = toY(frame, layer.y[i]);
        const away = (x - px) * (x - px) + (y - py) * (y - py);
        if (away >= distance) continue;
        distance = away;
        const side = layer.kind === "points" ? layer.limit?.[i] : null;
        const sign = side === "below" ? "< " : side === "above" ? "> " : "";
        const words = `${this.picture?.x.label ?? "x"} ${formatNumber(layer.x[i], 5)}   ${layer.name} ${sign}${formatNumber(layer.y[i], 5)}`;
        best = { x, y, words, colour: layer.colour };
      }
    }
    const context = this.clearOver();
    this.readout(best?.words ?? "");
    if (!best) return;
    context.strokeStyle = best.colour;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(best.x, best.y, 5, 0, 2 * Math.PI);
    context.stroke();
  }
}
