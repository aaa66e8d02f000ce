// SPDX-License-Identifier: Apache-2.0
// Curves that follow every edit and every slider; over time or one quantity against another.
import { useMemo } from "preact/hooks";
import { csv } from "../download.ts";
import { Busy, Check, Empty, NumberField, Problem, Select } from "../fields.tsx";
import { endTime, live, redrawn, shownOutputs, simulate } from "../live.ts";
import { methods, needsStep } from "../methods.ts";
import { curveColour, curveDash } from "../palette.ts";
import type { Layer, Picture } from "../plot/draw.ts";
import { Plot } from "../plot/plot.tsx";
import { useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { ModelInfo, Simulation, Work } from "../types.ts";
import { change, work } from "../work.ts";
import { Sliders } from "./sliders.tsx";

function columnOf(simulation: Simulation, name: string): (number | null)[] | null {
  const index = simulation.columns.indexOf(name);
  return index < 0 ? null : (simulation.values[index] ?? null);
}

/** Curves of what is shown; each keeps its colour when others come and go. */
export function curvesPicture(simulation: Simulation | null, value: Work, model: ModelInfo | null, dark: boolean): Picture {
  const outputs = model?.outputs ?? [];
  const time = simulation ? columnOf(simulation, "time") : null;
  const layers: Layer[] = [];
  if (simulation && value.phase) {
    const { phase } = value;
    const x = columnOf(simulation, phase.x);
    const y = columnOf(simulation, phase.y);
    const colour = curveColour(Math.max(0, outputs.indexOf(phase.y)), dark);
    if (x && y) {
      layers.push({ kind: "line", name: phase.y, x, y, colour });
      layers.push({ kind: "points", name: "start", x: [x[0] ?? null], y: [y[0] ?? null], colour, radius: 4 });
    }
  } else if (simulation && time) {
    for (const name of shownOutputs(value, model)) {
      const y = columnOf(simulation, name);
      const index = outputs.indexOf(name);
      if (y) layers.push({ kind: "line", name, x: time, y, colour: curveColour(index, dark), dash: curveDash(index) });
    }
  }
  const only = layers.length === 1 ? layers[0]?.name : undefined;
  return {
    x: value.phase ? { label: value.phase.x, log: value.logX, air: 0.04 } : { label: "time", log: value.logX },
    y: { label: value.phase ? value.phase.y : (only ?? "value"), log: value.logY },
    layers,
    empty: simulation ? "Nothing is chosen to be shown." : "The curves appear here.",
  };
}

function Shown({ model }: { model: ModelInfo }) {
  const chosen = useStore(work, (w) => w.shown);
  const dark = useStore(theme, (t) => t.dark);
  const outputs = model.outputs ?? [];
  const shown = new Set(shownOutputs({ ...work.value, shown: chosen }, model));
  const choose = (names: string[]) => {
    change({ shown: names });
    simulate();
  };
  const defaults = model.default_outputs ?? outputs;
  return (
    <section class="shown" aria-label="Shown quantities">
      <div class="section-head">
        <h2>Shown</h2>
        <span class="buttons">
          <button type="button" class="quiet" onClick={() => choose(defaults)}>Species</button>
          <button type="button" class="quiet" onClick={() => choose([])}>None</button>
        </span>
      </div>
      <div class="shown-list">
        {outputs.map((name, index) => (
          <label key={name} class="chip">
            <input
              type="checkbox"
              checked={shown.has(name)}
              onChange={(event) =>
                choose(outputs.filter((other) => (other === name ? event.currentTarget.checked : shown.has(other))))
              }
            />
            <svg class="swatch" viewBox="0 0 18 8" aria-hidden="true">
              <line x1="0" y1="4" x2="18" y2="4" stroke={curveColour(index, dark)} stroke-width="3" stroke-dasharray={curveDash(index).join(" ")} />
            </svg>
            <span class="chip-name">{name}</span>
          </label>
        ))}
      </div>
    </section>
  );
}

function Controls({ model }: { model: ModelInfo | null }) {
  for (const key of ["end", "step", "method", "phase", "logX", "logY"] as const) useStore(work, (w) => w[key]);
  const value = work.value;
  const { integrators } = useStore(methods, (m) => m);
  const outputs = ["time", ...(model?.outputs ?? [])];
  const options = outputs.map((name) => ({ value: name, name }));
  const again = (part: Partial<Work>) => {
    change(part);
    simulate();
  };
  const names = integrators.length > 0 ? integrators.map((m) => m.name) : ["automatic"];
  return (
    <div class="controls">
      <NumberField
        label="End"
        value={value.end}
        placeholder={String(endTime({ ...value, end: null }, model))}
        allow={(end) => end > 0}
        change={(end) => again({ end })}
      />
      <Select label="Method" value={value.method} options={names.map((name) => ({ value: name, name }))} change={(method) => again({ method })} />
      {needsStep(value.method) && (
        <NumberField label="Step" value={value.step} placeholder="end / 2000" allow={(step) => step > 0} change={(step) => again({ step })} />
      )}
      <Check label="log x" checked={value.logX} change={(logX) => change({ logX })} />
      <Check label="log y" checked={value.logY} change={(logY) => change({ logY })} />
      <Select
        label="View"
        value={value.phase ? "phase" : "time"}
        options={[{ value: "time", name: "over time" }, { value: "phase", name: "phase plane" }]}
        change={(view) => {
          const [x, y] = shownOutputs(value, model);
          again({ phase: view === "phase" ? { x: x ?? "time", y: y ?? x ?? "time" } : null });
        }}
      />
      {value.phase && (
        <>
          <Select label="across" value={value.phase.x} options={options} change={(x) => again({ phase: { x, y: value.phase?.y ?? x } })} />
          <Select label="up" value={value.phase.y} options={options} change={(y) => again({ phase: { x: value.phase?.x ?? y, y } })} />
        </>
      )}
    </div>
  );
}

function Outcome() {
  const failure = useStore(live, (l) => l.failure);
  const simulation = useStore(live, (l) => l.simulation);
  const busy = useStore(live, (l) => l.simulating || l.checking);
  const current = useStore(live, (l) => l.current);
  const model = useStore(live, (l) => l.model);
  const stats = simulation?.stats;
  return (
    <div class="outcome">
      {failure ? (
        <Problem>{failure}</Problem>
      ) : model && !current && !busy ? (
        <span class="stale" role="status">Curves of the last version without mistakes</span>
      ) : stats && stats["steps"] !== undefined ? (
        <span class="faint">
          {stats["used"] || `${stats["steps"]} steps`}
          {simulation?.seconds !== undefined ? `, ${(1000 * simulation.seconds).toFixed(1)} ms` : ""}
        </span>
      ) : null}
      <Busy busy={busy} words="computing" />
    </div>
  );
}

/** Apart from the rest, so that a new simulation redraws the plot and nothing else. */
function CurvesPlot() {
  const model = useStore(live, (l) => l.model);
  const simulation = useStore(live, (l) => l.simulation);
  const shown = useStore(work, (w) => w.shown);
  const phase = useStore(work, (w) => w.phase);
  const logX = useStore(work, (w) => w.logX);
  const logY = useStore(work, (w) => w.logY);
  const dark = useStore(theme, (t) => t.dark);
  const title = useStore(work, (w) => w.title) || "curves";
  const picture = useMemo(
    () => curvesPicture(simulation, work.value, model, dark),
    [simulation, shown, phase, logX, logY, dark],
  );
  return (
    <Plot
      picture={picture}
      label={`Curves of ${picture.layers.map((layer) => layer.name).join(", ") || "nothing"}`}
      file={title}
      csv={() => (simulation ? csv(simulation.columns, simulation.values) : "")}
      drawn={redrawn}
      status={<Outcome />}
    />
  );
}

export function CurvesTab() {
  const model = useStore(live, (l) => l.model);
  if (!model) {
    return <Empty>Write a reaction network on the left, or choose an example under “Open”. Its curves appear here.</Empty>;
  }
  return (
    <div class="curves">
      <Controls model={model} />
      <CurvesPlot />
      <div class="below">
        <Shown model={model} />
        <Sliders />
      </div>
    </div>
  );
}
