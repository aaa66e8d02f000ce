// SPDX-License-Identifier: Apache-2.0
// The examples of the library, asked for once.
import { get } from "./api.ts";
import type { LibraryModel } from "./types.ts";

let asked: Promise<LibraryModel[]> | null = null;

export function library(): Promise<LibraryModel[]> {
  asked ??= get<{ models: LibraryModel[] }>("/api/library").then(
    (answer) => answer.models,
    (error) => {
      asked = null; // next time perhaps
      throw error;
    },
  );
  return asked;
}
