// SPDX-License-Identifier: Apache-2.0
// A picture with its tools: zoom, what the pointer reads, export as PNG, SVG and CSV.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { download } from "../download.ts";
import { useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { Picture } from "./draw.ts";
import { pictureCsv } from "./picture_csv.ts";
import { PlotView } from "./plot_view.ts";

interface PlotProps {
  picture: Picture;
  label: string; // for those who cannot see it
  file: string; // begin of the names of exported files
  size?: "large" | "small";
  csv?: () => string;
  drawn?: () => void;
  status?: ComponentChildren; // beside the tools while nothing is pointed at
}

export function Plot({ picture, label, file, size = "large", csv: table, drawn, status }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<PlotView | null>(null);
  const reading = useRef<HTMLSpanElement>(null);
  const [zoomed, setZoomed] = useState(false);
  const dark = useStore(theme, (value) => value.dark);

  useEffect(() => () => view.current?.destroy(), []);
  useLayoutEffect(() => {
    view.current ??= new PlotView(
      host.current as HTMLElement,
      (text) => {
        if (reading.current) reading.current.textContent = text;
      },
      setZoomed,
    );
    view.current.show(picture);
    drawn?.();
  }, [picture, dark]);

  const png = async () => {
    if (view.current) download(`${file}.png`, await view.current.png());
  };
  const svg = () => {
    if (view.current) download(`${file}.svg`, view.current.svg(), "image/svg+xml");
  };
  return (
    <figure class={`plot plot-${size}`}>
      <div
        class="plot-host"
        ref={host}
        tabIndex={0}
        role="img"
        aria-label={`${label}. Keys: plus and minus zoom, arrows move, 0 shows all.`}
      />
      <figcaption class="plot-tools">
        <span class="reading" ref={reading} aria-hidden="true" />
        <span class="plot-status">{status}</span>
        <span class="buttons">
          <button type="button" class="quiet" aria-label="Zoom in" onClick={() => view.current?.zoomBy(1 / 1.4)}>+</button>
          <button type="button" class="quiet" aria-label="Zoom out" onClick={() => view.current?.zoomBy(1.4)}>−</button>
          <button type="button" class="quiet" disabled={!zoomed} onClick={() => view.current?.reset()}>Show all</button>
          <span class="gap" />
          <button type="button" class="quiet" onClick={() => void png()}>PNG</button>
          <button type="button" class="quiet" onClick={svg}>SVG</button>
          <button type="button" class="quiet" onClick={() => download(`${file}.csv`, table ? table() : pictureCsv(picture), "text/csv")}>CSV</button>
        </span>
      </figcaption>
    </figure>
  );
}
