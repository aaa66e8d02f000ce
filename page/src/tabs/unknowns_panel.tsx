// SPDX-License-Identifier: Apache-2.0
// What each column measures, and what is to be estimated.
import { useMemo } from "preact/hooks";
import { measuredColumns, readTable } from "../data_table.ts";
import { asked, changedField, problemsAt } from "../field_problems.ts";
import { NumberField, Problems, Select } from "../fields.tsx";
import { namesOf, sidesOf } from "../formula_names.ts";
import { live } from "../live.ts";
import { formatNumber } from "../numbers.ts";
import { useStore } from "../store.ts";
import type { DataFile, Estimate, Job, ModelInfo } from "../types.ts";
import { change, work } from "../work.ts";

export function columnsOf(data: DataFile[]): string[] {
  return [...new Set(data.flatMap((file) => measuredColumns(readTable(file.content))))];
}

interface Candidate {
  name: string;
  value: number | null;
  what: string;
}

/** Parameters, initial values, and names that only formulas of measurements know. */
export function candidatesOf(model: ModelInfo | null, observe: string[]): Candidate[] {
  const found: Candidate[] = [];
  for (const { name, value } of model?.parameters ?? []) found.push({ name, value, what: "parameter" });
  for (const { name, initial } of model?.species ?? []) found.push({ name, value: initial, what: "initial value" });
  const known = new Set([...found.map((item) => item.name), ...(model?.outputs ?? [])]);
  for (const formula of observe) {
    for (const name of namesOf(sidesOf(formula).right)) {
      if (known.has(name)) continue;
      known.add(name);
      found.push({ name, value: null, what: "of the measurement" });
    }
  }
  return found;
}

const GROUPS = [
  { what: "of the measurement", title: "Of the measurement" },
  { what: "parameter", title: "Parameters" },
  { what: "initial value", title: "Initial values" },
];

function Observed({ columns, outputs, job }: { columns: string[]; outputs: string[]; job: Job | null }) {
  const state = useStore(asked, (value) => value);
  const problems = problemsAt("observe", job, state);
  const observe = useStore(work, (value) => value.observe);
  const formulas = new Map(observe.map((formula) => [sidesOf(formula).left, sidesOf(formula).right]));
  const write = (column: string, right: string) => {
    changedField("observe");
    const others = observe.filter((formula) => sidesOf(formula).left !== column);
    change({ observe: right.trim() === "" ? others : [...others, `${column} = ${right}`] });
  };
  return (
    <section aria-label="What the columns measure">
      <h2>What the columns measure</h2>
      {columns.map((column) => (
        <label key={column} class="observe-row">
          <span class="observe-name">{column} =</span>
          <input
            value={formulas.get(column) ?? ""}
            placeholder={outputs.includes(column) ? column : "a formula, such as 10*P + off"}
            aria-label={`What ${column} measures`}
            aria-invalid={!outputs.includes(column) && !formulas.get(column)}
            spellcheck={false}
            onInput={(event) => write(column, event.currentTarget.value)}
          />
        </label>
      ))}
      <Problems list={problems} />
    </section>
  );
}

function UnknownRow({ item, chosen }: { item: Candidate; chosen: Estimate | undefined }) {
  const set = (part: Partial<Estimate>) =>
    change({ estimate: work.value.estimate.map((other) => (other.name === item.name ? { ...other, ...part } : other)) });
  const toggle = (on: boolean) => {
    const others = work.value.estimate.filter((other) => other.name !== item.name);
    const start = item.value === null ? 0 : null;
    change({ estimate: on ? [...others, { name: item.name, start, low: null, high: null, scale: "" }] : others });
  };
  return (
    <tr>
      <td>
        <label class="check">
          <input type="checkbox" checked={chosen !== undefined} onChange={(event) => toggle(event.currentTarget.checked)} />
          <span>{item.name}</span>
        </label>
      </td>
      {chosen ? (
        <>
          <td><NumberField hidden label={`Start of ${item.name}`} value={chosen.start} placeholder={item.value === null ? "0" : String(item.value)} change={(start) => set({ start })} /></td>
          <td><NumberField hidden label={`Lowest ${item.name}`} value={chosen.low} placeholder="÷ 1000" change={(low) => set({ low })} /></td>
          <td><NumberField hidden label={`Highest ${item.name}`} value={chosen.high} placeholder="× 1000" change={(high) => set({ high })} /></td>
          <td>
            <Select hidden disabled={chosen.low === null || chosen.high === null} label={`Scale of ${item.name}`} value={chosen.scale} change={(scale) => set({ scale })}
              options={[{ value: "", name: "auto" }, { value: "log", name: "log" }, { value: "lin", name: "lin" }]} />
          </td>
        </>
      ) : (
        <td colSpan={4} class="faint">{item.value === null ? "" : `stays at ${formatNumber(item.value, 6)}`}</td>
      )}
    </tr>
  );
}

export function UnknownsPanel({ job }: { job: Job | null }) {
  const model = useStore(live, (value) => value.model);
  const data = useStore(work, (value) => value.data);
  const observe = useStore(work, (value) => value.observe);
  const estimate = useStore(work, (value) => value.estimate);
  const columns = useMemo(() => columnsOf(data), [data]);
  const candidates = useMemo(() => candidatesOf(model, observe), [model, observe]);
  if (data.length === 0) return null;
  return (
    <>
      <Observed columns={columns} outputs={model?.outputs ?? []} job={job} />
      <section aria-label="Unknowns">
        <h2>What is to be estimated</h2>
        <div class="scroll unknowns-box">
          <table class="unknowns">
            <thead><tr><th>unknown</th><th>start</th><th>lowest</th><th>highest</th><th>scale</th></tr></thead>
            {GROUPS.map(({ what, title }) => {
              const some = candidates.filter((item) => item.what === what);
              return some.length === 0 ? null : (
                <tbody key={what}>
                  <tr><th colSpan={5} scope="rowgroup">{title}</th></tr>
                  {some.map((item) => (
                    <UnknownRow key={item.name} item={item} chosen={estimate.find((unknown) => unknown.name === item.name)} />
                  ))}
                </tbody>
              );
            })}
          </table>
        </div>
      </section>
    </>
  );
}
