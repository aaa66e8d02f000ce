// SPDX-License-Identifier: Apache-2.0
// The work of this tab: what is in the editor and every choice on the page. Each change is kept on
// the server; if another tab kept a newer one, the person decides which to go on with.
import { ApiError, get, post, put } from "./api.ts";
import { Store } from "./store.ts";
import type { ModelSource, Work } from "./types.ts";

export function emptyWork(): Work {
  return {
    title: "",
    text: "",
    file: null,
    petab: null,
    end: null,
    points: 400,
    method: "automatic",
    rtol: null,
    step: null,
    set: {},
    shown: null,
    logX: false,
    logY: false,
    phase: null,
    data: [],
    observe: [],
    estimate: [],
    fit: { method: "trust-region", starts: 1, seed: 1 },
    jobs: {},
    tab: "curves",
  };
}

export const work = new Store<Work>(emptyWork());

export function sourceOf(value: Work): ModelSource {
  return value.file ? { file: value.file } : { text: value.text };
}

export type KeepState = "kept" | "keeping" | "newer elsewhere" | "not kept";
export const keeping = new Store<{ state: KeepState; id: string; message: string }>({
  state: "kept",
  id: "",
  message: "",
});

const KEEP_AFTER = 300; // ms without a further change
let revision = 0;
let timer = 0;
let running = false;
let changed = false;
let loading = false;

interface KeptWork {
  id: string;
  revision: number;
  document: Partial<Work>;
}

/** Changes the work; the change is kept soon afterwards. */
export function change(part: Partial<Work>): void {
  work.set(part);
}

work.subscribe(() => {
  if (loading) return;
  changed = true;
  if (keeping.value.state === "newer elsewhere") return;
  keeping.set({ state: "keeping" });
  clearTimeout(timer);
  timer = window.setTimeout(() => void keep(), KEEP_AFTER);
});

async function keep(): Promise<void> {
  if (running || !changed) return;
  running = true;
  changed = false;
  try {
    const { id } = keeping.value;
    const document = work.value;
    if (id === "") {
      const made = await post<{ id: string; revision?: number }>("/api/work", { title: document.title, document });
      revision = made.revision ?? 1;
      keeping.set({ id: made.id });
      history.replaceState(null, "", `#work=${made.id}`);
    } else {
      const body = { title: document.title, revision, document };
      revision = (await put<{ revision: number }>(`/api/work/${id}`, body)).revision;
    }
    keeping.set({ state: changed ? "keeping" : "kept", message: "" });
  } catch (error) {
    changed = true;
    if (error instanceof ApiError && error.status === 409) {
      const newer = error.body["revision"];
      keeping.set({ state: "newer elsewhere", message: "This work was changed in another tab." });
      theirs = typeof newer === "number" ? newer : null;
    } else {
      keeping.set({ state: "not kept", message: (error as Error).message });
      clearTimeout(timer);
      timer = window.setTimeout(() => void keep(), 3000);
    }
  } finally {
    running = false;
    if (changed && keeping.value.state === "keeping") {
      clearTimeout(timer);
      timer = window.setTimeout(() => void keep(), KEEP_AFTER);
    }
  }
}

// A page that is left, or hidden on a phone, may not come back: keep at once.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden" && keeping.value.state === "keeping") void keep();
});

let theirs: number | null = null;

/** After "newer elsewhere": what is here replaces what the other tab kept. */
export async function keepMine(): Promise<void> {
  if (theirs === null) theirs = (await get<KeptWork>(`/api/work/${keeping.value.id}`)).revision;
  revision = theirs;
  changed = true;
  keeping.set({ state: "keeping", message: "" });
  await keep();
}

/** Opens a kept work in this tab. */
export async function openWork(id: string): Promise<void> {
  const kept = await get<KeptWork>(`/api/work/${encodeURIComponent(id)}`);
  loading = true;
  revision = kept.revision;
  changed = false;
  const first = kept.document.petab ? { tab: "fit" } : {}; // of an import nobody has looked at yet
  work.set({ ...emptyWork(), ...first, ...kept.document });
  loading = false;
  keeping.set({ id: kept.id ?? id, state: "kept", message: "" });
  history.replaceState(null, "", `#work=${id}`);
}

/** Begins a new work with these contents. */
export function newWork(part: Partial<Work>): void {
  revision = 0;
  keeping.set({ id: "", state: "keeping", message: "" });
  history.replaceState(null, "", location.pathname);
  work.set({ ...emptyWork(), tab: work.value.tab, ...part });
}

export function workOfAddress(): string | null {
  const match = /[#&]work=([^&]+)/.exec(location.hash);
  return match?.[1] ? decodeURIComponent(match[1]) : null;
}
