// SPDX-License-Identifier: Apache-2.0
// Files that were chosen or dropped: models are opened as new work, tables become data.
import { ApiError, post, toBase64 } from "./api.ts";
import { check } from "./live.ts";
import { complain, hush, say } from "./notice.ts";
import type { LibraryModel, ModelInfo, UploadedFile } from "./types.ts";
import { change, newWork, openWork, work } from "./work.ts";

export const MODEL_FILES = ".xml,.sbml,.net,.ant,.rxn,.zip,.stiffit";
export const DATA_FILES = ".csv,.tsv,.txt,.dat";

export type FileKind = "text" | "model" | "bundle" | "data";

export function kindOfFile(name: string): FileKind | null {
  const ending = /\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? "";
  if (ending === "rxn") return "text";
  // Antimony is no text of the editor, which knows the shorthand for mass action: it is translated.
  if (["xml", "sbml", "net", "ant"].includes(ending)) return "model";
  if (["zip", "stiffit", "omex"].includes(ending)) return "bundle";
  if (["csv", "tsv", "txt", "dat"].includes(ending)) return "data";
  return null;
}

export function stem(name: string): string {
  return name.replace(/^.*[\\/]/, "").replace(/\.[^.]*$/, "");
}

export function openExample(model: LibraryModel): void {
  newWork({ title: model.title || model.name, text: model.text });
  check();
}

async function openModel(upload: UploadedFile): Promise<void> {
  const model = await post<ModelInfo>("/api/model", { source: { file: upload } });
  if (!model.ok) {
    const first = model.diagnostics.find((d) => d.severity === "error") ?? model.diagnostics[0];
    const more = model.diagnostics.length > 1 ? ` (and ${model.diagnostics.length - 1} more)` : "";
    throw new Error(`${upload.name} cannot be opened: ${first ? `line ${first.line}: ${first.message}` : "it is no model"}${more}`);
  }
  const title = model.title || stem(upload.name);
  const whole = model.text && (model.left_out ?? []).length === 0;
  newWork(whole ? { title, text: model.text ?? "" } : { title, text: model.text ?? "", file: upload });
  if (!whole) say(`${upload.name} is used as it is; the text shows it without: ${(model.left_out ?? []).join("; ")}. Once you edit the text, the text counts.`);
  check();
}

/** Adds a table of measurements; one of the same name is replaced. */
export function addData(name: string, content: string): void {
  const data = work.value.data.filter((file) => file.name !== name);
  change({ data: [...data, { name, content }] });
}

async function openOne(file: File): Promise<void> {
  const kind = kindOfFile(file.name);
  if (kind === null) {
    throw new Error(`${file.name}: files that can be opened are models (${MODEL_FILES}) and data (${DATA_FILES}).`);
  }
  if (kind === "data") {
    addData(file.name, await file.text());
    change({ tab: "fit" });
    return;
  }
  if (kind === "text") {
    newWork({ title: stem(file.name), text: await file.text() });
    check();
    return;
  }
  const upload = { name: file.name, content: toBase64(new Uint8Array(await file.arrayBuffer())) };
  if (kind === "model") return openModel(upload);
  const { id } = await post<{ id: string }>("/api/import", upload);
  await openWork(id);
  check();
}

export async function openFiles(files: Iterable<File>): Promise<void> {
  hush();
  const list = [...files];
  try {
    for (const file of list) await openOne(file);
  } catch (error) {
    const first = error instanceof ApiError ? error.diagnostics[0] : undefined;
    complain(first ? `${(error as Error).message} Line ${first.line}: ${first.message}` : error);
  }
}
