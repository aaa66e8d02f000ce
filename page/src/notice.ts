// SPDX-License-Identifier: Apache-2.0
// One line for what went wrong or has been done. Good news goes by itself.
import { Store } from "./store.ts";

export const notice = new Store<{ text: string; bad: boolean }>({ text: "", bad: false });

const SHOWN = 5000; // ms
let timer = 0;

export function hush(): void {
  notice.set({ text: "" });
}
export function say(text: string): void {
  notice.set({ text, bad: false });
  clearTimeout(timer);
  timer = window.setTimeout(hush, SHOWN + 40 * text.length);
}
export function complain(error: unknown): void {
  clearTimeout(timer);
  notice.set({ text: error instanceof Error ? error.message : String(error), bad: true });
}
