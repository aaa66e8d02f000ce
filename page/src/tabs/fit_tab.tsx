// SPDX-License-Identifier: Apache-2.0
// Data in, unknowns chosen, fit run and watched: the objective and the curves converge as it goes.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Check, NumberField, Problem, Select } from "../fields.tsx";
import { jobs, know, startJob } from "../jobs.ts";
import { problemOf, whatIsMissing } from "../job_request.ts";
import { live, setValue } from "../live.ts";
import { methods } from "../methods.ts";
import { formatNumber } from "../numbers.ts";
import { Plot } from "../plot/plot.tsx";
import { useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { FitResult, Job, MeasuredCurve } from "../types.ts";
import { change, work } from "../work.ts";
import { DataPanel } from "./data_panel.tsx";
import { dataCurves, fitPicture, fittedCurves, observablesOf, tracePicture } from "./fit_pictures.ts";
import { JobBar } from "./job_bar.tsx";
import { columnsOf, UnknownsPanel } from "./unknowns_panel.tsx";

export function useJob(kind: "fit" | "profile" | "ensemble"): Job | null {
  const id = useStore(work, (value) => value.jobs[kind]);
  useEffect(() => know(id), [id]);
  return useStore(jobs, (value) => (id ? (value.byId[id] ?? null) : null));
}

/** What the fit says in words; the advice on further measurements is folded. */
function Words({ lines }: { lines: string[] }) {
  const at = lines.findIndex((line) => line.startsWith("one more measurement"));
  const verdict = at < 0 ? lines : lines.slice(0, at);
  const advice = at < 0 ? [] : lines.slice(at + 1);
  return (
    <>
      {verdict.length > 0 && <p class="words">{verdict.join("\n")}</p>}
      {advice.length > 0 && (
        <details>
          <summary>Which measurement would help most</summary>
          <ul class="advice">{advice.map((line) => <li key={line}>{line.trim()}</li>)}</ul>
        </details>
      )}
    </>
  );
}

function Estimates({ job, result }: { job: Job; result: FitResult | null }) {
  const take = (values: Record<string, number>) => {
    const model = live.value.model;
    const names = new Set([...(model?.parameters ?? []), ...(model?.species ?? [])].map((item) => item.name));
    for (const [name, value] of Object.entries(values)) if (names.has(name)) setValue(name, value);
    change({ tab: "curves" });
  };
  if (!result) {
    const best = Object.entries(job.best?.parameters ?? {});
    if (best.length === 0) return null;
    return (
      <section aria-label="Best values so far">
        <h2>Best so far</h2>
        <table><tbody>{best.map(([name, value]) => <tr key={name}><td>{name}</td><td class="figure">{formatNumber(value, 5)}</td></tr>)}</tbody></table>
      </section>
    );
  }
  const values = Object.fromEntries(result.parameters.map((parameter) => [parameter.id, parameter.estimate]));
  const adequacy = result.adequacy?.words ?? [];
  return (
    <section aria-label="Estimates">
      <div class="section-head">
        <h2>Estimates</h2>
        <span class="buttons"><button type="button" class="quiet" onClick={() => take(values)}>Show with these values</button></span>
      </div>
      {adequacy.length > 0 && <p class={result.adequacy?.accepted === false ? "words rejected" : "words"}>{adequacy.join("\n")}</p>}
      <div class="scroll">
        <table class="estimates">
          <thead><tr><th>name</th><th class="figure">estimate</th><th class="figure">std. error</th><th class="figure">{formatNumber(100 * (result.statistics?.level ?? 0.95), 3)} % from</th><th class="figure">to</th></tr></thead>
          {result.parameters.map((parameter) => (
            <tbody key={parameter.id}>
              <tr data-parameter={parameter.id}>
                <td>{parameter.id}</td>
                <td class="figure">{formatNumber(parameter.estimate, 5)}</td>
                <td class="figure">{formatNumber(parameter.standard_error, 3)}</td>
                <td class="figure">{formatNumber(parameter.limits?.[0], 5)}</td>
                <td class="figure">{formatNumber(parameter.limits?.[1], 5)}</td>
              </tr>
              <tr class="verdict-row"><td colSpan={5} class="faint">{parameter.verdict}</td></tr>
            </tbody>
          ))}
        </table>
      </div>
      <p class="faint">
        Objective {formatNumber(result.objective, 6)}, {result.n_data} data. {result.message ? `${result.message}.` : ""}
      </p>
      <Words lines={(result.plain_words ?? []).filter((line) => !adequacy.includes(line))} />
    </section>
  );
}

function Curves({ curves, title }: { curves: MeasuredCurve[]; title: string }) {
  const dark = useStore(theme, (value) => value.dark);
  const [log, setLog] = useState(false);
  const names = useMemo(() => observablesOf(curves), [curves]);
  const [chosen, setChosen] = useState("");
  const name = names.includes(chosen) ? chosen : (names[0] ?? "");
  const picture = useMemo(() => fitPicture(curves, name, log, dark), [curves, name, log, dark]);
  if (names.length === 0) return null;
  return (
    <div>
      <div class="controls">
        {names.length > 1 && <Select label="Measured" value={name} options={names.map((n) => ({ value: n, name: n }))} change={setChosen} />}
        <Check label="log y" checked={log} change={setLog} />
      </div>
      <Plot picture={picture} size="small" label={`Data and fitted curves of ${name}`} file={`${title}-${name}`} />
    </div>
  );
}

export function FitTab() {
  const value = useStore(work, (w) => w);
  const model = useStore(live, (l) => l.model);
  const dark = useStore(theme, (t) => t.dark);
  const { fits } = useStore(methods, (m) => m);
  const job = useJob("fit");
  const [failure, setFailure] = useState("");
  const columns = useMemo(() => columnsOf(value.data), [value.data]);
  const measured = useMemo(() => dataCurves(value.data), [value.data]);
  const curves = useMemo(() => fittedCurves(job, measured, Boolean(value.petab)), [job, measured, value.petab]);
  const shown = useRef<HTMLDivElement>(null);
  const trace = useMemo(() => (job ? tracePicture(job, dark) : null), [job, dark]);
  const missing = whatIsMissing(value, model?.outputs ?? [], columns);
  const active = job?.state === "running" || job?.state === "waiting";
  const run = async () => {
    setFailure("");
    const { method, starts, seed } = value.fit;
    try {
      await startJob("fit", { ...problemOf(value), options: { method, starts, seed } });
      shown.current?.scrollIntoView({ block: "start" });
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  const title = value.title || "fit";
  return (
    <div class="fit">
      <div class="fit-setup">
        {value.petab ? (
          <section><h2>PEtab problem</h2><p>{value.petab.name} brings its own data, formulas and unknowns.</p></section>
        ) : (
          <>
            <DataPanel />
            <UnknownsPanel />
          </>
        )}
        <section aria-label="Run" class="run">
          <div class="controls">
            <Select label="Method" value={value.fit.method} options={fits.map((name) => ({ value: name, name }))} change={(method) => change({ fit: { ...value.fit, method } })} />
            <NumberField label="Starts" value={value.fit.starts} allow={(n) => n >= 1 && Number.isInteger(n)} change={(starts) => starts && change({ fit: { ...value.fit, starts } })} />
            <NumberField label="Seed" value={value.fit.seed} allow={Number.isInteger} change={(seed) => seed !== null && change({ fit: { ...value.fit, seed } })} />
            <button type="button" class="primary" disabled={missing !== "" || active} onClick={() => void run()}>Fit</button>
          </div>
          <p class="faint hint">{missing}</p>
          {failure && <Problem>{failure}</Problem>}
        </section>
      </div>
      <div class="fit-result" ref={shown}>
        {job && <JobBar job={job} what="Fit" />}
        <Curves curves={curves} title={title} />
        {job && <Estimates job={job} result={job.state === "done" ? ((job.result as FitResult | undefined) ?? null) : null} />}
        {job && trace && (job.trace ?? []).length > 1 && <Plot picture={trace} size="small" label="Best objective over the run" file={`${title}-objective`} />}
      </div>
    </div>
  );
}
