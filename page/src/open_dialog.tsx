// SPDX-License-Identifier: Apache-2.0
// What can be opened: examples of the library, files, and former work.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, remove } from "./api.ts";
import { Empty, Problem } from "./fields.tsx";
import { check } from "./live.ts";
import { complain } from "./notice.ts";
import { DATA_FILES, MODEL_FILES, openExample, openFiles } from "./open_file.ts";
import { library } from "./library.ts";
import type { LibraryModel } from "./types.ts";
import { keeping, newWork, openWork } from "./work.ts";

interface StoredTitle {
  id: string;
  title: string;
  changed: string | number;
}

function when(changed: string | number): string {
  const date = new Date(typeof changed === "number" && changed < 1e11 ? changed * 1000 : changed);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export function OpenDialog({ open, close }: { open: boolean; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [models, setModels] = useState<LibraryModel[] | null>(null);
  const [kept, setKept] = useState<StoredTitle[]>([]);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (!open) {
      dialog.current?.close();
      return;
    }
    dialog.current?.showModal();
    library().then(setModels, (error: Error) => setFailure(error.message));
    get<StoredTitle[]>("/api/work").then(setKept, () => setKept([]));
  }, [open]);
  const then = (action: () => void | Promise<void>) => async () => {
    close();
    try {
      await action();
    } catch (error) {
      complain(error);
    }
  };
  const forget = async (id: string) => {
    await remove(`/api/work/${id}`).catch(complain);
    setKept((all) => all.filter((item) => item.id !== id));
  };
  return (
    <dialog ref={dialog} class="open-dialog" aria-labelledby="open-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="open-title">Open</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>✕</button>
      </div>
      <div class="open-actions">
        <button type="button" onClick={then(() => { newWork({ title: "" }); check(); })}>New, empty</button>
        <button type="button" class="primary" onClick={() => files.current?.click()}>A file …</button>
        <span class="faint">SBML, BioNetGen .net, text, PEtab zip, shared .stiffit</span>
        <input
          ref={files}
          class="unseen"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="File to open"
          accept={`${MODEL_FILES},${DATA_FILES}`}
          onChange={(event) => {
            const chosen = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = "";
            void then(() => openFiles(chosen))();
          }}
        />
      </div>
      <div class="open-lists">
        <section>
          <h3>Examples</h3>
          {failure && <Problem>{failure}</Problem>}
          <ul>
            {(models ?? []).map((model) => (
              <li key={model.name}>
                <button type="button" class="row" onClick={then(() => openExample(model))}>
                  <span class="row-name">{model.name}</span>
                  <span class="faint">{model.title}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h3>Your work</h3>
          {kept.length === 0 && <Empty>Nothing yet. All you do is kept here by itself.</Empty>}
          <ul>
            {kept.map((item) => (
              <li key={item.id} class="kept">
                <button type="button" class="row" onClick={then(async () => { await openWork(item.id); check(); })}>
                  <span class="row-name">{item.title || "Untitled"}</span>
                  <span class="faint">{when(item.changed)}{item.id === keeping.value.id ? " · open here" : ""}</span>
                </button>
                <button type="button" class="quiet" aria-label={`Delete ${item.title || "untitled work"}`} title="Delete"
                  disabled={item.id === keeping.value.id} onClick={() => void forget(item.id)}>✕</button>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </dialog>
  );
}
