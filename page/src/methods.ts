// SPDX-License-Identifier: Apache-2.0
// The integrators and fit methods that the server offers.
import { get } from "./api.ts";
import { Store } from "./store.ts";
import type { Methods } from "./types.ts";

export const methods = new Store<Methods>({ integrators: [], fits: ["trust-region"] });

export function needsStep(name: string): boolean {
  return methods.value.integrators.some((method) => method.name === name && method.needs_step);
}

export async function loadMethods(): Promise<void> {
  try {
    methods.set(await get<Methods>("/api/methods"));
  } catch {
    // The page works with the default methods.
  }
}
