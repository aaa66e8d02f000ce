// SPDX-License-Identifier: Apache-2.0
// What a fit may be told beyond its unknowns: the noise of the data, derived quantities, how limits
// are found. Mistakes are said at their fields, in the server's words.
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { asked, changedField, problemsAt } from "../field_problems.ts";
import { LinesField, NumberField, Problems, Select } from "../fields.tsx";
import { useStore } from "../store.ts";
import type { FitSettings, Job } from "../types.ts";
import { change, work } from "../work.ts";

const DISTRIBUTIONS = [
  { value: "", name: "normal" },
  { value: "laplace", name: "Laplace" },
  { value: "student-t", name: "Student t" },
  { value: "student-t:?", name: "Student t, freedom estimated" },
];

/** "student-t:2.5" is a choice of the list with a number beside it. */
export function distributionParts(text: string): { kind: string; freedom: number | null } {
  if (!text.startsWith("student-t:") || text === "student-t:?") return { kind: text, freedom: null };
  return { kind: "student-t", freedom: Number(text.slice("student-t:".length)) };
}

/** Folded as long as nothing in it is set; what is wrong in it is always seen. */
function Folded({ title, used, wrong, children }: { title: string; used: boolean; wrong: boolean; children: ComponentChildren }) {
  const [open, setOpen] = useState(used);
  return (
    <details class="fit-options" open={open || wrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

export function FitOptions({ job, petab }: { job: Job | null; petab: boolean }) {
  const fit = useStore(work, (value) => value.fit);
  const state = useStore(asked, (value) => value);
  const at = (field: string) => problemsAt(field, job, state);
  const set = (field: string, part: Partial<FitSettings>) => {
    changedField(field);
    change({ fit: { ...work.value.fit, ...part } });
  };
  const { kind, freedom } = distributionParts(fit.distribution);
  const ofNoise = [...at("weights"), ...at("noise_distribution")];
  const ofLimits = [...at("level"), ...at("bootstrap"), ...at("bootstrap_kind")];
  return (
    <section aria-label="Options of the fit">
      {!petab && (
        <Folded title="Noise of the data" used={fit.noise !== "" || fit.weights !== "" || fit.distribution !== ""} wrong={at("noise").length + ofNoise.length > 0}>
          <LinesField label="Standard deviation, one line for each column" value={fit.noise} placeholder="A340 = s*A340 + s0" problems={at("noise")}
            change={(noise) => set("noise", { noise })} />
          <p class="faint">Names that nothing else knows, such as s, are noise parameters and estimated, too. Without formulas the columns sd(…) count, or one size for all data.</p>
          <div class="controls">
            <Select label="Errors in the tables" value={fit.weights} invalid={at("weights").length > 0} change={(weights) => set("weights", { weights })}
              options={[{ value: "", name: "absolute" }, { value: "relative", name: "relative: known up to a factor" }]} />
            <Select label="Distribution" value={kind} invalid={at("noise_distribution").length > 0} options={DISTRIBUTIONS}
              change={(distribution) => set("noise_distribution", { distribution })} />
            {kind === "student-t" && (
              <NumberField label="Degrees of freedom" value={freedom} placeholder="4" invalid={at("noise_distribution").length > 0}
                change={(n) => set("noise_distribution", { distribution: n === null ? "student-t" : `student-t:${n}` })} />
            )}
          </div>
          <Problems list={ofNoise} />
        </Folded>
      )}
      <Folded title="Derived quantities and limits" used={fit.derive !== "" || fit.level !== null || fit.bootstrap !== null} wrong={at("derive").length + ofLimits.length > 0}>
        <LinesField label="Derived quantities, one in each line" value={fit.derive} placeholder={"Km = (k_1 + k2)/k1"} problems={at("derive")}
          change={(derive) => set("derive", { derive })} />
        <p class="faint">Functions of the parameters. Each gets an estimate, limits and a verdict of its own.</p>
        <div class="controls">
          <NumberField label="Confidence level" value={fit.level} placeholder="0.95" invalid={at("level").length > 0} change={(level) => set("level", { level })} />
          <NumberField label="Bootstrap fits" value={fit.bootstrap} placeholder="none" invalid={at("bootstrap").length > 0} change={(bootstrap) => set("bootstrap", { bootstrap })} />
          <Select label="Drawn anew" value={fit.bootstrapKind} disabled={fit.bootstrap === null} invalid={at("bootstrap_kind").length > 0}
            change={(bootstrapKind) => set("bootstrap_kind", { bootstrapKind })}
            options={[{ value: "residual", name: "residuals" }, { value: "case", name: "whole measurements" }]} />
        </div>
        <Problems list={ofLimits} />
      </Folded>
    </section>
  );
}
