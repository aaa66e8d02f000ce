// SPDX-License-Identifier: Apache-2.0
// How sure a fit is: intervals, correlations, profiles, and an ensemble with its bands.
import { useMemo, useState } from "preact/hooks";
import { Empty, NumberField, Problem, Select } from "../fields.tsx";
import { startJob } from "../jobs.ts";
import { ensembleOptions, problemOf, profileOptions } from "../job_request.ts";
import { formatNumber } from "../numbers.ts";
import { curveColour } from "../palette.ts";
import { Plot } from "../plot/plot.tsx";
import { useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { Derived, EnsembleResult, FitResult, Job, Limits, ProfileResult } from "../types.ts";
import { work } from "../work.ts";
import { useJob } from "./fit_tab.tsx";
import { limitWords } from "./fit_words.ts";
import { JobBar } from "./job_bar.tsx";
import { bandPicture, bandsOf, profilePicture } from "./uncertainty_pictures.ts";

function Intervals({ fit, profile, ensemble }: { fit: FitResult; profile: ProfileResult | null; ensemble: EnsembleResult | null }) {
  const range = (low: number | null | undefined, high: number | null | undefined) => `${formatNumber(low, 5)} to ${formatNumber(high, 5)}`;
  const ranges = (intervals: Limits[]) => intervals.map(limitWords).join("; ");
  const percent = (level: number | undefined) => `${formatNumber(100 * (level ?? 0.95), 4)} %`;
  // Where draws lie in separate places, the interval is the one around the best fit.
  const drawn = (e: EnsembleResult["parameters"][number]) =>
    e.share !== undefined && e.share < 1
      ? `${range(e.low, e.high)} (${formatNumber(100 * e.share, 3)} % of the draws; all: ${range(e.low_all, e.high_all)})`
      : range(e.low, e.high);
  return (
    <section aria-label="Intervals">
      <h2>Intervals</h2>
      <div class="scroll">
        <table class="intervals">
          <thead><tr><th>name</th><th class="figure">estimate</th><th>from the fit, {percent(fit.statistics?.level)}</th><th>from the profile, {percent(profile?.level ?? fit.statistics?.level)}</th><th>from the ensemble, 95 %</th><th>verdict</th></tr></thead>
          <tbody>
            {fit.parameters.map((parameter) => {
              const p = profile?.parameters.find((item) => item.id === parameter.id);
              const e = ensemble?.parameters.find((item) => item.id === parameter.id);
              return (
                <tr key={parameter.id}>
                  <td>{parameter.id}</td>
                  <td class="figure">{formatNumber(parameter.estimate, 5)}</td>
                  <td>{ranges(parameter.intervals ?? [parameter.limits])}</td>
                  <td>{p ? ranges(p.intervals ?? [[p.lower.limit, p.upper.limit]]) : "–"}</td>
                  <td>{e ? drawn(e) : "–"}</td>
                  <td>{p?.verdict ?? parameter.verdict}</td>
                </tr>
              );
            })}
            {(fit.derived ?? []).map((derived) => {
              const same = (all: Derived[] | undefined) => all?.find((item) => item.name === derived.name);
              const p = same(profile?.derived);
              const e = same(ensemble?.derived);
              return (
                <tr key={derived.name}>
                  <td>{derived.name}</td>
                  <td class="figure">{formatNumber(derived.value, 5)}</td>
                  <td>{ranges([derived.limits])}</td>
                  <td>{p ? ranges([p.limits]) : "–"}</td>
                  <td>{e ? ranges([e.limits]) : "–"}</td>
                  <td>{p?.verdict ?? derived.verdict}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Correlations({ fit }: { fit: FitResult }) {
  const statistics = fit.statistics;
  if (!statistics || statistics.free.length < 2) return null;
  const names = statistics.free;
  const level = (value: number | null) => (value === null ? 0 : Math.min(4, Math.floor(Math.abs(value) * 5)));
  return (
    <section aria-label="Correlations">
      <h2>Correlations</h2>
      <div class="scroll">
        <table class="correlations">
          <thead><tr><th />{names.map((name) => <th key={name} class="figure">{name}</th>)}</tr></thead>
          <tbody>
            {names.map((name, i) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {names.map((other, j) => {
                  const value = statistics.correlation[i]?.[j] ?? null;
                  return (
                    <td key={other} class={`figure ${i === j ? "" : `heat${level(value)} ${(value ?? 0) < 0 ? "minus" : "plus"}`}`}>
                      {i === j ? "1" : value === null ? "–" : value.toFixed(2).replace("-", "−")}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {statistics.notes.map((note) => <p key={note} class="faint">{note}</p>)}
    </section>
  );
}

function Profiles({ result }: { result: ProfileResult }) {
  const dark = useStore(theme, (value) => value.dark);
  const pictures = useMemo(() => result.parameters.map((parameter) => profilePicture(parameter, result.threshold, dark, result.level)), [result, dark]);
  return (
    <div class="many">
      {result.parameters.map((parameter, index) => {
        const picture = pictures[index];
        return picture && (
          <div key={parameter.id}>
            <h3>{parameter.id}: {parameter.verdict}</h3>
            <Plot picture={picture} size="small" label={`Profile of ${parameter.id}`} file={`profile-${parameter.id}`} />
          </div>
        );
      })}
    </div>
  );
}

function Bands({ result }: { result: EnsembleResult }) {
  const dark = useStore(theme, (value) => value.dark);
  const bands = useMemo(() => bandsOf(result.bands), [result]);
  const [experiment, setExperiment] = useState("");
  const [quantity, setQuantity] = useState("");
  const experiments = [...new Set(bands.map((band) => band.experiment))];
  const e = experiments.includes(experiment) ? experiment : (experiments[0] ?? "");
  const quantities = [...new Set(bands.filter((band) => band.experiment === e).map((band) => band.quantity))];
  const first = bands.find((band) => band.experiment === e && band.measured)?.quantity ?? quantities[0] ?? "";
  const q = quantities.includes(quantity) ? quantity : first;
  const band = bands.find((item) => item.experiment === e && item.quantity === q);
  const picture = useMemo(() => (band ? bandPicture(band, curveColour(0, dark)) : null), [band, dark]);
  if (!picture) return null;
  return (
    <div>
      <div class="controls">
        <Select label="Experiment" value={e} options={experiments.map((name) => ({ value: name, name }))} change={setExperiment} />
        <Select label="Quantity" value={q} options={quantities.map((name) => ({ value: name, name }))} change={setQuantity} />
      </div>
      <Plot picture={picture} size="small" label={`Bands of ${q} in ${e}`} file={`bands-${e}-${q}`} />
    </div>
  );
}

function resultOf<T>(job: Job | null): T | null {
  return job?.state === "done" ? ((job.result as T | undefined) ?? null) : null;
}

export function UncertaintyTab() {
  const fitJob = useJob("fit");
  const profileJob = useJob("profile");
  const ensembleJob = useJob("ensemble");
  const [samples, setSamples] = useState<number | null>(null);
  const [failure, setFailure] = useState("");
  const fit = resultOf<FitResult>(fitJob);
  const profile = resultOf<ProfileResult>(profileJob);
  const ensemble = resultOf<EnsembleResult>(ensembleJob);
  if (!fitJob || !fit) {
    return <Empty>First fit the model to data, under “Data and fit”. Then this page says how sure the estimates are.</Empty>;
  }
  const active = (job: Job | null) => job?.state === "running" || job?.state === "waiting";
  const start = async (kind: "profile" | "ensemble") => {
    setFailure("");
    const options = kind === "profile" ? profileOptions(work.value, fitJob.id) : ensembleOptions(work.value, fitJob.id, samples);
    try {
      await startJob(kind, { ...problemOf(work.value), options });
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <div class="uncertainty">
      {failure && <Problem>{failure}</Problem>}
      <Intervals fit={fit} profile={profile} ensemble={ensemble} />
      <Correlations fit={fit} />
      <section aria-label="Profiles">
        <div class="section-head">
          <h2>Profiles</h2>
          <span class="buttons"><button type="button" disabled={active(profileJob)} onClick={() => void start("profile")}>{profile ? "Run again" : "Run profiles"}</button></span>
        </div>
        {profileJob ? <JobBar job={profileJob} what="Profiles" /> : <p class="faint">Each unknown is moved to both sides and the others fitted anew, until the fit is significantly worse.</p>}
        {profile && <Profiles result={profile} />}
      </section>
      <section aria-label="Ensemble">
        <div class="section-head">
          <h2>Ensemble</h2>
          <span class="buttons">
            <NumberField label="Draws" value={samples} placeholder="10000" allow={(n) => n >= 1 && Number.isInteger(n)} change={setSamples} />
            <button type="button" disabled={active(ensembleJob)} onClick={() => void start("ensemble")}>{ensemble ? "Run again" : "Run ensemble"}</button>
          </span>
        </div>
        {ensembleJob ? <JobBar job={ensembleJob} what="Ensemble" /> : <p class="faint">Parameter sets that fit the data, and bands of what they predict, also for what was not measured.</p>}
        {ensemble && !ensemble.converged && <Problem>Its intervals are not to be relied on: {ensemble.notes.map((note) => (note.startsWith("more --samples") ? "more draws are needed" : note)).join("; ")}.</Problem>}
        {ensemble && <Bands result={ensemble} />}
      </section>
    </div>
  );
}
