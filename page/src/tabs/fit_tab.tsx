// SPDX-License-Identifier: Apache-2.0
// Data in, unknowns chosen, fit run and watched: the objective and the curves converge as it goes.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Check, NumberField, Problem, Select } from "../fields.tsx";
import { jobs, know, startJob } from "../jobs.ts";
import { asked, askedAnew, refusedAtField, saidAtFields } from "../field_problems.ts";
import { fitOptions, problemOf, whatIsMissing } from "../job_request.ts";
import { live } from "../live.ts";
import { methods } from "../methods.ts";
import { Plot } from "../plot/plot.tsx";
import { useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { FitResult, Job, MeasuredCurve } from "../types.ts";
import { change, work } from "../work.ts";
import { DataPanel } from "./data_panel.tsx";
import { FitOptions } from "./fit_options.tsx";
import { dataCurves, fitPicture, fittedCurves, hasLimits, observablesOf, tracePicture } from "./fit_pictures.ts";
import { Estimates } from "./fit_results.tsx";
import { JobBar } from "./job_bar.tsx";
import { columnsOf, UnknownsPanel } from "./unknowns_panel.tsx";

export function useJob(kind: "fit" | "profile" | "ensemble"): Job | null {
  const id = useStore(work, (value) => value.jobs[kind]);
  useEffect(() => know(id), [id]);
  return useStore(jobs, (value) => (id ? (value.byId[id] ?? null) : null));
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
      {hasLimits(curves, name) && <p class="faint">A bar with an arrow is a limit: the value lies somewhere on the side of the arrow.</p>}
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
  const setup = useRef<HTMLDivElement>(null);
  const refused = useStore(asked, (a) => a.refused);
  const wrong = refused !== null || (job !== null && saidAtFields(job)) ? (job?.id ?? "refused") : "";
  // Where a field is wrong it is brought into view, with what is said beside it.
  useEffect(() => {
    if (wrong) setup.current?.querySelector(".problem")?.scrollIntoView({ block: "center" });
  }, [wrong, refused]);
  const trace = useMemo(() => (job ? tracePicture(job, dark) : null), [job, dark]);
  const missing = whatIsMissing(value, model?.outputs ?? [], columns);
  const active = job?.state === "running" || job?.state === "waiting";
  const run = async () => {
    setFailure("");
    askedAnew();
    try {
      await startJob("fit", { ...problemOf(value), options: fitOptions(value) });
      shown.current?.scrollIntoView({ block: "start" });
    } catch (error) {
      if (!refusedAtField(error as Error)) setFailure((error as Error).message);
    }
  };
  const title = value.title || "fit";
  return (
    <div class="fit">
      <div class="fit-setup" ref={setup}>
        {value.petab ? (
          <section><h2>PEtab problem</h2><p>{value.petab.name} brings its own data, formulas and unknowns.</p></section>
        ) : (
          <>
            <DataPanel />
            <UnknownsPanel job={job} />
          </>
        )}
        {(value.petab || value.data.length > 0) && <FitOptions job={job} petab={Boolean(value.petab)} />}
        <section aria-label="Run" class="run">
          <div class="controls">
            <Select label="Method" value={value.fit.method} options={fits.map((name) => ({ value: name, name }))} change={(method) => change({ fit: { ...value.fit, method } })} />
            <NumberField label="Starts" value={value.fit.starts} placeholder="auto" allow={(n) => n >= 1 && Number.isInteger(n)} change={(starts) => change({ fit: { ...value.fit, starts } })} />
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
