// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the system prefers, unless this browser was told otherwise.
import { Store } from "./store.ts";

const KEY = "stiffit-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

function resolve(): boolean {
  const chosen = localStorage.getItem(KEY);
  return chosen ? chosen === "dark" : system.matches;
}

export const theme = new Store({ dark: resolve() });

function apply(): void {
  document.documentElement.dataset["theme"] = theme.value.dark ? "dark" : "light";
}

export function toggleTheme(): void {
  const dark = !theme.value.dark;
  localStorage.setItem(KEY, dark ? "dark" : "light");
  theme.set({ dark });
}

theme.subscribe(apply);
system.addEventListener("change", () => theme.set({ dark: resolve() }));
apply();
