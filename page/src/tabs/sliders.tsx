// SPDX-License-Identifier: Apache-2.0
// A slider for every rate constant and initial value.
import { useMemo, useState } from "preact/hooks";
import { editorView } from "../editor/editor.tsx";
import { NumberField } from "../fields.tsx";
import { inputHappened, live, setValue, simulate } from "../live.ts";
import { SLIDER_STEPS, sliderPosition, sliderRange, sliderValue } from "../numbers.ts";
import { useStore } from "../store.ts";
import { putValues } from "../text_values.ts";
import type { ModelInfo } from "../types.ts";
import { change, work } from "../work.ts";

interface RowProps {
  name: string;
  base: number;
  unit: string;
  what: string;
}

function SliderRow({ name, base, unit, what }: RowProps) {
  const chosen = useStore(work, (value) => value.set[name]);
  const value = chosen ?? base;
  const range = useMemo(() => {
    const around = sliderRange(base);
    // A value typed beyond the range widens it.
    if (value > around.high) return { ...around, high: value };
    if (value < around.low && (!around.log || value > 0)) return { ...around, low: value };
    return around;
  }, [base, chosen !== undefined && (value > sliderRange(base).high || value < sliderRange(base).low) ? value : 0]);
  const set = (next: number | null, event: Event) => {
    inputHappened(event);
    setValue(name, next === null || next === base ? null : next);
  };
  return (
    <div class={chosen === undefined ? "slider-row" : "slider-row changed"}>
      <span class="slider-name" title={unit ? `${name} in ${unit}` : name}>{name}</span>
      <input
        type="range"
        min={0}
        max={SLIDER_STEPS}
        value={sliderPosition(range, value)}
        aria-label={`${what} ${name}`}
        aria-valuetext={String(value)}
        onInput={(event) => set(sliderValue(range, Number(event.currentTarget.value)), event)}
      />
      <NumberField value={value} label={`${what} ${name}, value`} hidden change={set} />
      <button
        type="button"
        class="quiet reset"
        disabled={chosen === undefined}
        aria-label={`${name} back to the model's value`}
        title="Back to the model's value"
        onClick={(event) => set(null, event)}
      >
        ↺
      </button>
    </div>
  );
}

function rowsOf(model: ModelInfo): RowProps[] {
  const rows: RowProps[] = [];
  for (const { name, value, unit, settable } of model.parameters ?? []) {
    if (value !== null && settable !== false) rows.push({ name, base: value, unit: unit ?? "", what: "Parameter" });
  }
  for (const { name, initial, unit, settable } of model.species ?? []) {
    if (initial !== null && settable !== false) rows.push({ name, base: initial, unit: unit ?? "", what: "Initial value of" });
  }
  return rows;
}

const FILTER_FROM = 16; // fewer rows are seen at a glance

export function Sliders() {
  const model = useStore(live, (value) => value.model);
  const moved = useStore(work, (value) => Object.keys(value.set).length);
  const asFile = useStore(work, (value) => Boolean(value.file));
  const [filter, setFilter] = useState("");
  const rows = useMemo(() => (model ? rowsOf(model) : []), [model]);
  if (rows.length === 0) return null;
  const fits = (row: RowProps) => row.name.toLowerCase().includes(filter.toLowerCase());
  const groups = [
    { title: "Parameters", rows: rows.filter((row) => row.what === "Parameter" && fits(row)) },
    { title: "Initial values", rows: rows.filter((row) => row.what !== "Parameter" && fits(row)) },
  ];
  const intoText = () => {
    const { text, left } = putValues(work.value.text, work.value.set);
    editorView?.dispatch({ changes: { from: 0, to: editorView.state.doc.length, insert: text } });
    change({ set: left });
  };
  return (
    <section class="sliders" aria-label="Sliders">
      <div class="section-head">
        <h2>Values</h2>
        {rows.length >= FILTER_FROM && (
          <input
            class="filter"
            type="search"
            placeholder="Find a name"
            aria-label="Find a parameter or initial value"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        <span class="buttons">
          <button type="button" class="quiet" disabled={moved === 0 || asFile} onClick={intoText}>Put into text</button>
          <button type="button" class="quiet" disabled={moved === 0} onClick={() => { change({ set: {} }); simulate(); }}>Reset all</button>
        </span>
      </div>
      <div class="slider-list">
        {groups.map((group) =>
          group.rows.length === 0 ? null : (
            <div key={group.title} class="slider-group">
              <h3>{group.title}</h3>
              {group.rows.map((row) => (
                <SliderRow key={row.what + row.name} {...row} />
              ))}
            </div>
          ),
        )}
        {filter !== "" && groups.every((group) => group.rows.length === 0) && <p class="empty">No name contains “{filter}”.</p>}
      </div>
    </section>
  );
}
