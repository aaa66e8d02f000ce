// SPDX-License-Identifier: Apache-2.0
// One line at the top for what went wrong or has been done.
import { Store } from "./store.ts";

export const notice = new Store<{ text: string; bad: boolean }>({ text: "", bad: false });

export function say(text: string): void {
  notice.set({ text, bad: false });
}
export function complain(error: unknown): void {
  notice.set({ text: error instanceof Error ? error.message : String(error), bad: true });
}
export function hush(): void {
  notice.set({ text: "" });
}
