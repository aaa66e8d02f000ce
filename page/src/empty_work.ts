// SPDX-License-Identifier: Apache-2.0
// A work in which nothing was done yet, and the model of one.
import type { FitSettings, ModelSource, Work } from "./types.ts";

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
    fit: {
      method: "trust-region",
      starts: null,
      seed: 1,
      noise: "",
      weights: "",
      distribution: "",
      derive: "",
      level: null,
      bootstrap: null,
      bootstrapKind: "residual",
    },
    jobs: {},
    tab: "curves",
  };
}

/** The settings of a kept work, also of one from before there were as many. */
export function settingsOf(kept: Partial<FitSettings> | undefined): FitSettings {
  const settings = { ...emptyWork().fit, ...kept };
  // Nobody chose the one start that all of them had.
  return kept && kept.noise === undefined && kept.starts === 1 ? { ...settings, starts: null } : settings;
}

export function sourceOf(value: Work): ModelSource {
  return value.file ? { file: value.file } : { text: value.text };
}
