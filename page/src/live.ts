// SPDX-License-Identifier: Apache-2.0
// The live loop: every edit is checked and simulated, every slider simulated, newest first.
import { ApiError, post } from "./api.ts";
import { sourceOf } from "./empty_work.ts";
import { needsStep } from "./methods.ts";
import { LatestWins } from "./latest_wins.ts";
import { Store } from "./store.ts";
import type { Diagnostic, ModelInfo, Simulation, Work } from "./types.ts";
import { change, work } from "./work.ts";

export interface Live {
  model: ModelInfo | null; // the last one that could be read
  current: boolean; // whether `model` is what the editor shows
  diagnostics: Diagnostic[];
  simulation: Simulation | null;
  failure: string; // why there is no new simulation
  checking: boolean;
  simulating: boolean;
}

export const live = new Store<Live>({
  model: null,
  current: false,
  diagnostics: [],
  simulation: null,
  failure: "",
  checking: false,
  simulating: false,
});

const client = Math.random().toString(36).slice(2);
let sequence = 0;
let inputTime = 0;
let measured = 0;

/** Remembers when a person moved something, so that the time to the redraw can be told. */
export function inputHappened(event: Event): void {
  inputTime = event.timeStamp;
}

/** Called when the curves of the newest input are on the canvas. */
export function redrawn(): void {
  if (inputTime === 0) return;
  if (++measured % 1000 === 0) performance.clearMeasures("stiffit-redraw"); // they are kept by the browser
  performance.measure("stiffit-redraw", { start: inputTime, end: performance.now() });
  inputTime = 0;
}

/** Species and rates that are shown: chosen ones, or the model's own choice. */
export function shownOutputs(value: Work, model: ModelInfo | null): string[] {
  const all = model?.outputs ?? [];
  if (value.shown) return value.shown.filter((name) => all.includes(name));
  return model?.default_outputs ?? all;
}

export function endTime(value: Work, model: ModelInfo | null): number {
  return value.end ?? model?.end ?? 100;
}

const STEPS = 2000; // of a method without error control, unless a step is given

/** What a simulation of the present state asks for. */
export function simulationRequest(value: Work, model: ModelInfo | null) {
  const shown = shownOutputs(value, model);
  const show = value.phase ? [...new Set([...shown, value.phase.x, value.phase.y])] : shown;
  const known = new Set([
    ...(model?.species ?? []).filter((s) => s.settable !== false).map((s) => s.name),
    ...(model?.parameters ?? []).filter((p) => p.settable !== false).map((p) => p.name),
  ]);
  const end = endTime(value, model);
  const set = Object.fromEntries(Object.entries(value.set).filter(([name]) => known.has(name)));
  return {
    source: sourceOf(value),
    end,
    points: value.points,
    method: value.method,
    ...(value.rtol ? { rtol: value.rtol } : {}),
    ...(needsStep(value.method) ? { step: value.step ?? end / STEPS } : {}),
    set,
    show: show.filter((name) => name !== "time"),
  };
}

const simulations = new LatestWins<Work>(async (value) => {
  live.set({ simulating: true });
  try {
    const request = { ...simulationRequest(value, live.value.model), client, sequence: ++sequence };
    const simulation = await post<Simulation>("/api/simulate", request);
    const failure = simulation.outcome === "done" ? "" : (simulation.message ?? simulation.outcome);
    live.set({ simulation, failure, simulating: false });
  } catch (error) {
    if (error instanceof ApiError && error.body["superseded"]) return;
    live.set({ failure: (error as Error).message, simulating: false });
  }
});

/** Simulates with the present settings. */
export function simulate(): void {
  if (live.value.model && live.value.current) simulations.ask(work.value);
}

const checks = new LatestWins<Work>(async (value) => {
  live.set({ checking: true });
  const empty = value.text.trim() === "" && !value.file;
  if (empty) {
    live.set({ model: null, current: false, diagnostics: [], simulation: null, failure: "", checking: false });
    return;
  }
  try {
    const model = await post<ModelInfo>("/api/model", { source: sourceOf(value) });
    // What was typed meanwhile is not checked yet, and is not simulated before it is.
    const current = model.ok && work.value.text === value.text && work.value.file === value.file;
    live.set({ ...(model.ok ? { model } : {}), current, diagnostics: model.diagnostics, checking: false });
    if (current) simulations.ask(work.value);
  } catch (error) {
    const diagnostics = error instanceof ApiError ? error.diagnostics : [];
    live.set({ current: false, diagnostics, failure: (error as Error).message, checking: false });
  }
});

/** Checks the model, then simulates it. */
export function check(): void {
  checks.ask(work.value);
}

const CHECK_AFTER = 120; // ms; the pause of a person who types
let timer = 0;

export function textChanged(text: string): void {
  change({ text, file: null });
  live.set({ current: false });
  clearTimeout(timer);
  timer = window.setTimeout(check, CHECK_AFTER);
}

/** A slider or number field: only values change, the model stays. */
export function setValue(name: string, value: number | null): void {
  const set = { ...work.value.set };
  if (value === null) delete set[name];
  else set[name] = value;
  change({ set });
  simulate();
}
