// SPDX-License-Identifier: Apache-2.0
// The work of this tab: what is in the editor and every choice on the page. Each change is kept on
// the server; if another tab kept a newer one, the person decides which to go on with.
import { ApiError, get, post, put } from "./api.ts";
import { emptyWork, settingsOf } from "./empty_work.ts";
import { Store } from "./store.ts";
import type { Work } from "./types.ts";

export const work = new Store<Work>(emptyWork());

export type KeepState = "kept" | "keeping" | "newer elsewhere" | "not kept";
export const keeping = new Store<{ state: KeepState; id: string; message: string }>({
  state: "kept",
  id: "",
  message: "",
});

const KEEP_AFTER = 300; // ms without a further change
const TRY_AGAIN_AFTER = 3000; // ms, where the server did not answer

interface StoredWork {
  id: string;
  revision: number;
  document: Partial<Work>;
}

/** Keeps one piece of work. Each has its own, so that what is late never lands in another work. */
class Keeper {
  private waiting: Work | null = null; // the newest that is not kept yet
  private running = false;
  private conflict = false;
  private timer = 0;

  constructor(
    private id = "",
    private revision = 0,
  ) {}

  later(document: Work): void {
    this.waiting = document;
    if (this.conflict) return;
    this.tell("keeping");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.now(), KEEP_AFTER);
  }

  async now(): Promise<void> {
    clearTimeout(this.timer);
    if (this.running) return;
    this.running = true;
    while (this.waiting && !this.conflict) {
      const document = this.waiting;
      this.waiting = null;
      try {
        await this.send(document);
      } catch (error) {
        this.waiting ??= document;
        this.failed(error as Error);
        break;
      }
    }
    this.running = false;
    if (!this.waiting) this.tell("kept");
  }

  /** After a conflict: what is here replaces what the other tab kept. */
  async overrule(): Promise<void> {
    this.revision = (await get<StoredWork>(`/api/work/${this.id}`)).revision;
    this.conflict = false;
    this.waiting ??= work.value;
    await this.now();
  }

  private async send(document: Work): Promise<void> {
    const body = { title: document.title, document };
    if (this.id === "") {
      const made = await post<{ id: string; revision?: number }>("/api/work", body);
      this.id = made.id;
      this.revision = made.revision ?? 1;
      this.show();
    } else {
      const answer = await put<{ revision: number }>(`/api/work/${this.id}`, { ...body, revision: this.revision });
      this.revision = answer.revision;
    }
  }

  private failed(error: Error): void {
    if (error instanceof ApiError && error.status === 409) {
      this.conflict = true;
      this.tell("newer elsewhere", "This work was changed in another tab.");
    } else {
      this.tell("not kept", error.message);
      this.timer = window.setTimeout(() => void this.now(), TRY_AGAIN_AFTER);
    }
  }

  /** Puts the work into the address, as long as it is the one on the page. */
  show(): void {
    if (keeper !== this) return;
    keeping.set({ id: this.id });
    history.replaceState(null, "", this.id === "" ? location.pathname : `#work=${this.id}`);
  }

  private tell(state: KeepState, message = ""): void {
    if (keeper === this) keeping.set({ state, message });
  }
}

let keeper = new Keeper();
let loading = false;

work.subscribe(() => {
  if (!loading) keeper.later(work.value);
});

// A page that is left, or hidden on a phone, may not come back: keep at once.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void keeper.now();
});

/** Changes the work; the change is kept soon afterwards. */
export function change(part: Partial<Work>): void {
  work.set(part);
}

export function keepMine(): Promise<void> {
  return keeper.overrule();
}

function replaceKeeper(next: Keeper, state: KeepState): void {
  void keeper.now(); // what it still has is kept where it belongs
  keeper = next;
  keeping.set({ state, message: "" });
  next.show();
}

/** Opens a kept work in this tab. */
export async function openWork(id: string): Promise<void> {
  const kept = await get<StoredWork>(`/api/work/${encodeURIComponent(id)}`);
  replaceKeeper(new Keeper(id, kept.revision), "kept");
  const first = kept.document.petab ? { tab: "fit" } : {}; // of an import nobody has looked at yet
  loading = true;
  work.set({ ...emptyWork(), ...first, ...kept.document, fit: settingsOf(kept.document.fit) });
  loading = false;
}

/** Begins a new work with these contents. */
export function newWork(part: Partial<Work>): void {
  replaceKeeper(new Keeper(), "keeping");
  work.set({ ...emptyWork(), tab: work.value.tab, ...part });
}

export function workOfAddress(): string | null {
  const match = /[#&]work=([^&]+)/.exec(location.hash);
  return match?.[1] ? decodeURIComponent(match[1]) : null;
}
