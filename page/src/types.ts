// SPDX-License-Identifier: Apache-2.0
// What the server says and is told (docs/web-api.md).

export interface Diagnostic {
  severity: "error" | "warning";
  message: string;
  hint?: string;
  line: number;
  column: number;
  end_line?: number;
  end_column?: number;
}

export interface LibraryModel {
  name: string;
  title: string;
  text: string;
  end: number | null;
}

export interface UploadedFile {
  name: string;
  content: string; // base64
}

export type ModelSource = { text: string } | { file: UploadedFile };

export interface Quantity {
  name: string;
  unit?: string;
  settable?: boolean; // false: computed from other values
}
export interface Species extends Quantity {
  initial: number | null;
}
export interface Parameter extends Quantity {
  value: number | null;
}
export type Participant = [string, number | string];
export interface Reaction {
  name: string;
  reactants: Participant[];
  products: Participant[];
  modifiers: string[];
  reversible: boolean;
  rate: string;
}
export interface Equation {
  kind?: "derivative" | "rate" | "rule" | "observable" | "function";
  left: string;
  mathml: string;
}
export interface ModelInfo {
  ok: boolean;
  diagnostics: Diagnostic[];
  text?: string;
  left_out?: string[]; // what the text form cannot say of an imported model
  title?: string;
  end?: number | null;
  species?: Species[];
  parameters?: Parameter[];
  outputs?: string[];
  default_outputs?: string[];
  reactions?: Reaction[];
  equations?: Equation[];
  features?: string[];
  moieties?: string[];
}

export interface Simulation {
  columns: string[];
  values: (number | null)[][];
  outcome: string;
  message?: string;
  stats?: Record<string, number | string>;
  seconds?: number;
}

export interface Stability {
  method: string;
  rings: [number, number][][];
  window: [number, number, number, number]; // of z = h*lambda: left, right, bottom, top
}
export interface Stiffness {
  max_index: number | null;
  peak_time: number;
  span: number;
  verdict: string;
  recommended: string;
  tau: number | null;
  ratio: number | null;
  explicit_steps: number | null;
  fastest_species: string[];
  fastest_reactions: string[];
  rows: { time: number; index: number | null; tau: number | null; fastest_species: string }[];
  spectra?: { time: number; eigenvalues: [number, number][] }[];
  eigenvalues: [number, number][];
  stability?: Stability;
}

export interface ComparisonRow {
  method: string;
  error: number;
  reached: boolean;
  setting: number | null;
  achieved: number | null;
  steps: number | null;
  rejected: number | null;
  f: number | null;
  j: number | null;
  lu: number | null;
  newton: number | null;
  seconds: number | null;
  message?: string;
}
export interface Comparison {
  reference_agreement: number | null;
  table: ComparisonRow[];
}

export interface Integrator {
  name: string;
  family: string;
  order: string;
  stability: string;
  for: string;
  needs_step?: boolean; // it has no error control
  fixed_steps?: boolean; // it can take them, so it has a stability region
}
export interface Methods {
  integrators: Integrator[];
  fits: string[];
}

export type JobKind = "fit" | "profile" | "ensemble";
export type JobState = "waiting" | "running" | "stopped" | "done" | "failed";

/** Of a value that is known as a limit only, where it lies. */
export type Side = "below" | "above" | null;
export interface MeasuredCurve {
  name: string;
  experiment: string;
  data: { time: number[]; value: (number | null)[]; sd?: (number | null)[]; limit?: Side[] };
  curve: { time: number[]; value: (number | null)[] };
}

export type Limits = [number | null, number | null];
export interface FitParameter {
  id: string;
  scale: string;
  estimate: number;
  standard_error: number | null;
  limits: Limits;
  intervals?: Limits[]; // several: the limits are those of separate parts
  limits_by?: string;
  noise?: boolean;
  at_bound: string | null;
  verdict: string;
}
export interface Derived {
  name: string;
  formula: string;
  value: number | null;
  standard_error: number | null;
  limits: Limits;
  verdict: string;
}
export interface Combination {
  formula: string;
  value: number | null;
  low: number | null;
  high: number | null;
  determination: string;
}
export interface Bootstrap {
  words: string;
  level: number;
  parameters: { id: string; limits: Limits; percentile_limits: Limits }[];
}
export interface Minimum {
  objective: number | null;
  starts: number;
  parameters: Record<string, number | null>;
}
export interface FitResult {
  outcome: string;
  message: string;
  objective: number;
  llh: number | null;
  chi2: number | null;
  n_data: number;
  adequacy?: { accepted: boolean | null; p_value: number | null; words: string[] };
  parameters: FitParameter[];
  statistics?: { level?: number; free: string[]; correlation: (number | null)[][]; notes: string[]; variance?: number };
  plain_words?: string[];
  waterfall?: (number | null)[];
  derived?: Derived[];
  combinations?: Combination[];
  minima?: Minimum[];
  rival_search?: { words: string };
  bootstrap?: Bootstrap;
  messages?: string[];
}

export interface ProfileSide {
  stop: string;
  limit: number | null;
  message: string;
  points: [number, number, number][];
}
export interface ProfileResult {
  threshold: number;
  level: number;
  derived?: Derived[];
  parameters: {
    id: string;
    scale: string;
    estimate: number;
    verdict: string;
    intervals?: [number | null, number | null][];
    lower: ProfileSide;
    upper: ProfileSide;
  }[];
}

export interface Band {
  experiment: string;
  time: number;
  quantity: string;
  measured: boolean;
  mean: number | null;
  [quantile: string]: number | string | boolean | null;
}
export interface EnsembleResult {
  converged: boolean;
  notes: string[];
  samples: number;
  derived?: Derived[];
  parameters: {
    id: string;
    median: number;
    low: number;
    high: number;
    sd: number;
    r_hat: number | null;
    effective_bulk: number | null;
    share?: number; // of the draws that lie around the best fit
    low_all?: number;
    high_all?: number;
  }[];
  bands: Band[];
}

/** A mistake in one field of a request; `of` is the line of it, where it has several. */
export interface FieldFinding {
  field: string;
  message: string;
  hint?: string;
  of?: string;
}

export interface Job {
  id: string;
  kind: JobKind;
  title: string;
  state: JobState;
  progress?: { done?: number; total?: number; best?: number | null; seconds?: number; text?: string };
  trace?: [number, number | null][];
  best?: { objective: number | null; parameters: Record<string, number> };
  message?: string;
  result?: FitResult | ProfileResult | EnsembleResult | null;
  simulations?: { observables: MeasuredCurve[] } | null;
  findings?: FieldFinding[]; // of a job that failed
  log?: string;
  resumable?: boolean; // false: it ran elsewhere
}

export interface DataFile {
  name: string;
  content: string; // plain text
}
export interface Estimate {
  name: string;
  start: number | null;
  low: number | null;
  high: number | null;
  scale: "log" | "lin" | "";
}

/** How a fit is made; empty texts and nulls mean the default. */
export interface FitSettings {
  method: string;
  starts: number | null; // null: one, and further ones that look for other minima
  seed: number;
  noise: string; // a formula in each line
  weights: string;
  distribution: string;
  derive: string; // a formula in each line
  level: number | null;
  bootstrap: number | null;
  bootstrapKind: string;
}

/** All that a person has done on the page; kept on the server on every change. */
export interface Work {
  title: string;
  text: string;
  file?: UploadedFile | null; // the model, where text cannot say it
  petab?: UploadedFile | null;
  end: number | null; // null: the model's default end time
  points: number;
  method: string;
  rtol: number | null;
  step: number | null; // of methods without error control
  set: Record<string, number>;
  shown: string[] | null; // null: the model's own choice
  logX: boolean;
  logY: boolean;
  phase: { x: string; y: string } | null;
  data: DataFile[];
  observe: string[];
  estimate: Estimate[];
  fit: FitSettings;
  jobs: Partial<Record<JobKind, string>>;
  tab: string;
}
