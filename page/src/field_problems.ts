// SPDX-License-Identifier: Apache-2.0
// What the server found wrong in a field of the last fit that was asked for, to be said beside it:
// refused at once, or found by the job as it began. What was changed since is not held against it.
import { ApiError } from "./api.ts";
import { Store } from "./store.ts";
import type { FieldFinding, Job } from "./types.ts";

export const asked = new Store<{ refused: FieldFinding | null; changed: string[] }>({ refused: null, changed: [] });

/** The fields that the page has, by their names in a request. */
const FIELDS = new Set(["observe", "noise", "weights", "noise_distribution", "derive", "level", "bootstrap", "bootstrap_kind"]);

/** A fit is asked for anew. */
export function askedAnew(): void {
  asked.set({ refused: null, changed: [] });
}

export function changedField(field: string): void {
  if (!asked.value.changed.includes(field)) asked.set({ changed: [...asked.value.changed, field] });
}

/** True if the refusal is said at a field, and so needs no other place. */
export function refusedAtField(error: Error): boolean {
  if (!(error instanceof ApiError) || !FIELDS.has(error.field)) return false;
  asked.set({ refused: { field: error.field, message: error.message } });
  return true;
}

/** The options of the command line, which messages name, are fields here. */
function withoutOption(message: string): string {
  const words = message.replace(/^--[a-z-]+(: | (?="))/, "").replace(/^--[a-z-]+(?= )/, "This");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function wordsOf({ message, hint, of }: FieldFinding): string {
  const end = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`);
  const said = of ? `“${of.trim()}”: ${message}` : withoutOption(message);
  return [said, hint ? hint.charAt(0).toUpperCase() + hint.slice(1) : ""].filter(Boolean).map(end).join(" ");
}

/** What is wrong with a field, in sentences. */
export function problemsAt(field: string, job: Job | null, { refused, changed }: typeof asked.value): string[] {
  if (changed.includes(field)) return [];
  const found = job?.state === "failed" ? (job.findings ?? []) : [];
  return [...(refused ? [refused] : []), ...found].filter((finding) => finding.field === field).map(wordsOf);
}

/** True if all that a failed job found wrong is said at fields of the page. */
export function saidAtFields(job: Job): boolean {
  const found = job.findings ?? [];
  return job.state === "failed" && found.length > 0 && found.every((finding) => FIELDS.has(finding.field));
}
