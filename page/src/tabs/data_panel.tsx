// SPDX-License-Identifier: Apache-2.0
// Tables of measurements: dropped, chosen or pasted from a spreadsheet.
import { useRef, useState } from "preact/hooks";
import { readTable } from "../data_table.ts";
import { Empty, Problem } from "../fields.tsx";
import { addData, DATA_FILES, openFiles } from "../open_file.ts";
import { useStore } from "../store.ts";
import type { DataFile } from "../types.ts";
import { change, work } from "../work.ts";

function freeName(taken: DataFile[]): string {
  for (let i = 1; ; ++i) {
    const name = `pasted${i}.csv`;
    if (!taken.some((file) => file.name === name)) return name;
  }
}

function TableCard({ file }: { file: DataFile }) {
  const table = readTable(file.content);
  const [open, setOpen] = useState(false);
  const drop = () => change({ data: work.value.data.filter((other) => other.name !== file.name) });
  return (
    <li class="data-card">
      <div class="section-head">
        <strong>{file.name}</strong>
        <span class="faint">{table.rows.length} rows: {table.columns.slice(1).join(", ")}</span>
        <span class="buttons">
          <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Hide" : "Edit"}</button>
          <button type="button" class="quiet" aria-label={`Remove ${file.name}`} onClick={drop}>✕</button>
        </span>
      </div>
      {table.settings.length > 0 && <p class="faint settings">{table.settings.join("; ")}</p>}
      {table.problem && <Problem>{table.problem}</Problem>}
      {open && (
        <textarea
          rows={8}
          spellcheck={false}
          aria-label={`Contents of ${file.name}`}
          value={file.content}
          onInput={(event) => {
            const content = event.currentTarget.value;
            change({ data: work.value.data.map((other) => (other.name === file.name ? { ...other, content } : other)) });
          }}
        />
      )}
    </li>
  );
}

export function DataPanel() {
  const data = useStore(work, (value) => value.data);
  const input = useRef<HTMLInputElement>(null);
  const [pasting, setPasting] = useState(false);
  const [pasted, setPasted] = useState("");
  const add = () => {
    addData(freeName(data), pasted);
    setPasted("");
    setPasting(false);
  };
  const look = pasted.trim() === "" ? null : readTable(pasted);
  return (
    <section aria-label="Data">
      <div class="section-head">
        <h2>Data</h2>
        <span class="buttons">
          <button type="button" onClick={() => input.current?.click()}>Choose files …</button>
          <button type="button" aria-expanded={pasting} onClick={() => setPasting(!pasting)}>Paste</button>
        </span>
        <input ref={input} class="unseen" type="file" multiple tabIndex={-1} accept={DATA_FILES} aria-label="Data files"
          onChange={(event) => {
            const chosen = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = "";
            void openFiles(chosen);
          }} />
      </div>
      {data.length === 0 && !pasting && (
        <Empty>
          Drop CSV files anywhere on this page, one for each experiment, or paste cells of a spreadsheet. The first column is
          called “time”, the others are what was measured. A line “# S = 2” above says what was different in that experiment.
        </Empty>
      )}
      {pasting && (
        <div class="paste">
          <textarea rows={8} spellcheck={false} aria-label="Cells of a spreadsheet" placeholder={"time\tA405\n0\t0.07\n50\t0.66"} value={pasted}
            onInput={(event) => setPasted(event.currentTarget.value)} />
          <div class="section-head">
            {look && (look.problem ? <Problem>{look.problem}</Problem> : <span class="faint">{look.rows.length} rows of {look.columns.slice(1).join(", ")}</span>)}
            <span class="buttons">
              <button type="button" class="primary" disabled={!look || look.problem !== ""} onClick={add}>Add this table</button>
            </span>
          </div>
        </div>
      )}
      <ul>{data.map((file) => <TableCard key={file.name} file={file} />)}</ul>
    </section>
  );
}
