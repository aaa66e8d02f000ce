// SPDX-License-Identifier: Apache-2.0
// What each method needs for a given error on this model.
import { useMemo, useState } from "preact/hooks";
import { post } from "../api.ts";
import { Busy, Empty, Problem, Select } from "../fields.tsx";
import { live, simulationRequest } from "../live.ts";
import { methods } from "../methods.ts";
import { formatNumber, readNumber } from "../numbers.ts";
import { curveColour, curveDash } from "../palette.ts";
import type { Picture } from "../plot/draw.ts";
import { Plot } from "../plot/plot.tsx";
import { Store, useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { Comparison, ComparisonRow } from "../types.ts";
import { work } from "../work.ts";

const FIRST_CHOICE = ["automatic", "rodas5p", "bdf", "radau", "dopri5", "cvodes"];

const state = new Store<{ chosen: string[]; errors: string; result: Comparison | null; failure: string; busy: boolean }>({
  chosen: FIRST_CHOICE,
  errors: "1e-2, 1e-4, 1e-6",
  result: null,
  failure: "",
  busy: false,
});

type Measure = "seconds" | "steps" | "f" | "lu";
const MEASURES: { value: Measure; name: string }[] = [
  { value: "seconds", name: "seconds" },
  { value: "steps", name: "steps" },
  { value: "f", name: "evaluations of the rates" },
  { value: "lu", name: "factorisations" },
];

export function workPicture(table: ComparisonRow[], measure: Measure, dark: boolean): Picture {
  const names = [...new Set(table.map((row) => row.method))];
  const layers: Picture["layers"] = [];
  names.forEach((name, index) => {
    const rows = table.filter((row) => row.method === name && row.reached && (row.achieved ?? 0) > 0);
    if (rows.length === 0) return;
    rows.sort((a, b) => (b.achieved ?? 0) - (a.achieved ?? 0));
    const x = rows.map((row) => row.achieved);
    const y = rows.map((row) => row[measure]);
    const colour = curveColour(index, dark);
    layers.push({ kind: "line", name, x, y, colour, dash: curveDash(index) });
    layers.push({ kind: "points", name: "", x, y, colour });
  });
  return { x: { label: "error reached", log: true }, y: { label: measure, log: true }, layers, legend: true, empty: "No method reached these errors." };
}

async function compare(errors: number[]): Promise<void> {
  const { source, end, set } = simulationRequest(work.value, live.value.model);
  state.set({ busy: true, failure: "" });
  try {
    const result = await post<Comparison>("/api/compare", { source, end, set, methods: state.value.chosen, errors });
    state.set({ result, busy: false });
  } catch (error) {
    state.set({ failure: (error as Error).message, busy: false });
  }
}

function Choice() {
  const { integrators } = useStore(methods, (value) => value);
  const { chosen } = useStore(state, (value) => value);
  return (
    <fieldset class="method-choice">
      <legend>Methods</legend>
      {integrators.map((method) => (
        <label key={method.name} class="check" title={`${method.family}, order ${method.order}, ${method.stability}: ${method.for}`}>
          <input type="checkbox" checked={chosen.includes(method.name)}
            onChange={(event) => state.set({ chosen: event.currentTarget.checked ? [...chosen, method.name] : chosen.filter((name) => name !== method.name) })} />
          <span>{method.name}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Table({ result }: { result: Comparison }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr><th>method</th>{["error", "reached", "steps", "rejected", "rates", "Jacobians", "LU", "seconds"].map((name) => <th key={name} class="figure">{name}</th>)}</tr>
        </thead>
        <tbody>
          {result.table.map((row, index) => (
            <tr key={index} class={row.reached ? "" : "faint"}>
              <td>{row.method}</td>
              <td class="figure">{formatNumber(row.error, 2)}</td>
              <td class="figure">{row.reached ? formatNumber(row.achieved, 2) : "not reached"}</td>
              {[row.steps, row.rejected, row.f, row.j, row.lu].map((value, i) => <td key={i} class="figure">{formatNumber(value, 7)}</td>)}
              <td class="figure">{formatNumber(row.seconds, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function MethodsTab() {
  const model = useStore(live, (value) => value.model);
  const current = useStore(live, (value) => value.current);
  const dark = useStore(theme, (value) => value.dark);
  const { chosen, errors, result, failure, busy } = useStore(state, (value) => value);
  const [measure, setMeasure] = useState<Measure>("seconds");
  const picture = useMemo(() => (result ? workPicture(result.table, measure, dark) : null), [result, measure, dark]);
  if (!model) return <Empty>Methods can be compared once the text can be read.</Empty>;
  const read = errors.split(/[\s;,]+/).filter(Boolean).map(readNumber);
  const wrong = read.length === 0 || read.some((value) => value === null || value <= 0 || value >= 1);
  return (
    <div class="methods">
      <p class="faint">What each method needs on this model to reach a given error, against a reference on which two methods agree.</p>
      <Choice />
      <div class="controls">
        <label class="field"><span class="field-name">Errors</span>
          <input value={errors} aria-invalid={wrong} onInput={(event) => state.set({ errors: event.currentTarget.value })} /></label>
        <button type="button" class="primary" disabled={busy || wrong || chosen.length === 0 || !current} onClick={() => void compare(read as number[])}>Compare</button>
        <Busy busy={busy} words="running every method at many tolerances" />
      </div>
      {failure && <Problem>{failure}</Problem>}
      {!result && !busy && !failure && <Empty>Choose methods and press “Compare”.</Empty>}
      {result && picture && (
        <>
          <div class="controls"><Select label="Work measured in" value={measure} options={MEASURES} change={setMeasure} /></div>
          <Plot picture={picture} label="Work against precision of each method" file="methods" />
          <Table result={result} />
        </>
      )}
    </div>
  );
}
