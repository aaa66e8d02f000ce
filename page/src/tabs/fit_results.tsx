// SPDX-License-Identifier: Apache-2.0
// What a fit found: first whether the model describes the data at all, then every quantity with its
// limits, then what was said and done beyond them.
import type { ComponentChildren } from "preact";
import { live, setValue } from "../live.ts";
import { formatNumber } from "../numbers.ts";
import type { Bootstrap, FitResult, Job, Limits, Minimum } from "../types.ts";
import { change } from "../work.ts";
import { bootstrapRows, formulaParts, partsWords, sentence, splitWords } from "./fit_words.ts";

interface Row {
  id: string;
  kind: "parameter" | "derived" | "combination" | "noise";
  name: ComponentChildren;
  estimate: number | null;
  error?: number | null;
  limits: Limits;
  words: string[];
}

function Rows({ title, rows }: { title?: string; rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      {title && <tbody><tr class="group-row"><th colSpan={5} scope="rowgroup">{title}</th></tr></tbody>}
      {rows.map((row) => (
        <tbody key={row.id}>
          <tr {...{ [`data-${row.kind}`]: row.id }}>
            <td class="quantity">{row.name}</td>
            <td class="figure">{formatNumber(row.estimate, 5)}</td>
            <td class="figure error">{row.error === undefined ? "" : formatNumber(row.error, 3)}</td>
            <td class="figure">{formatNumber(row.limits?.[0], 5)}</td>
            <td class="figure">{formatNumber(row.limits?.[1], 5)}</td>
          </tr>
          <tr class="verdict-row"><td colSpan={5} class="faint">{row.words.map((line) => <div key={line}>{line}</div>)}</td></tr>
        </tbody>
      ))}
    </>
  );
}

function parameterRows(result: FitResult, noise: boolean): Row[] {
  return result.parameters
    .filter((parameter) => (parameter.noise ?? false) === noise)
    .map((parameter) => ({
      id: parameter.id,
      kind: noise ? "noise" : "parameter",
      name: parameter.id,
      estimate: parameter.estimate,
      error: parameter.standard_error,
      limits: parameter.limits,
      words: [parameter.verdict, partsWords(parameter.intervals ?? [])].filter(Boolean),
    }));
}

function Quantities({ result, combined }: { result: FitResult; combined: string }) {
  const level = `${formatNumber(100 * (result.statistics?.level ?? 0.95), 4)} %`;
  const derived: Row[] = (result.derived ?? []).map(({ name, formula, value, standard_error, limits, verdict }) => ({
    id: name, kind: "derived", name, estimate: value, error: standard_error, limits, words: [`= ${formula}`, verdict],
  }));
  const combinations: Row[] = (result.combinations ?? []).map(({ formula, value, low, high, determination }) => ({
    id: formula, kind: "combination", name: formulaParts(formula).map((part) => <>{part}<wbr /></>), estimate: value, limits: [low, high], words: [determination.replace(/-/g, " ")],
  }));
  return (
    <div class="scroll">
      <table class="estimates">
        <thead><tr><th>name</th><th class="figure">estimate</th><th class="figure error">std. error</th><th class="figure">{level} from</th><th class="figure">to</th></tr></thead>
        <Rows rows={parameterRows(result, false)} />
        <Rows title="Derived quantities" rows={derived} />
        <Rows title={combined || "Combinations"} rows={combinations} />
        <Rows title="Noise" rows={parameterRows(result, true)} />
      </table>
    </div>
  );
}

function BootstrapLimits({ bootstrap, result }: { bootstrap: Bootstrap; result: FitResult }) {
  const rows = bootstrapRows(bootstrap, result.parameters);
  return (
    <section aria-label="Bootstrap">
      <h3>Bootstrap, {formatNumber(100 * bootstrap.level, 4)} %</h3>
      <p>{sentence(bootstrap.words.replace(/^bootstrap: /, ""))}</p>
      {rows.length > 0 && (
        <div class="scroll">
          <table class="bootstrap">
            <thead><tr><th>name</th><th>limits</th><th>percentiles</th></tr></thead>
            <tbody>{rows.map(([id, limits, percentiles]) => <tr key={id} data-bootstrap={id}><td>{id}</td><td>{limits}</td><td>{percentiles}</td></tr>)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Where the descents ended, if not all at the same place. */
function Minima({ minima }: { minima: Minimum[] }) {
  if (minima.length < 2) return null;
  const names = Object.keys(minima[0]?.parameters ?? {});
  return (
    <details>
      <summary>The {minima.length} minima that were found</summary>
      <div class="scroll">
        <table class="minima">
          <thead><tr><th class="figure">objective</th><th class="figure">starts</th>{names.map((name) => <th key={name} class="figure">{name}</th>)}</tr></thead>
          <tbody>
            {minima.map((minimum, index) => (
              <tr key={index}>
                <td class="figure">{formatNumber(minimum.objective, 6)}</td>
                <td class="figure">{minimum.starts}</td>
                {names.map((name) => <td key={name} class="figure">{formatNumber(minimum.parameters[name], 4)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** What the fit says in words; the advice on further measurements is folded. */
function Words({ lines, advice }: { lines: string[]; advice: string[] }) {
  return (
    <>
      {lines.length > 0 && <ul class="said">{lines.map((line) => <li key={line}>{sentence(line)}</li>)}</ul>}
      {advice.length > 0 && (
        <details>
          <summary>Which measurement would help most</summary>
          <ul class="advice">{advice.map((line) => <li key={line}>{line.trim()}</li>)}</ul>
        </details>
      )}
    </>
  );
}

function BestSoFar({ job }: { job: Job }) {
  const best = Object.entries(job.best?.parameters ?? {});
  if (best.length === 0) return null;
  return (
    <section aria-label="Best values so far">
      <h2>Best so far</h2>
      <table><tbody>{best.map(([name, value]) => <tr key={name}><td>{name}</td><td class="figure">{formatNumber(value, 5)}</td></tr>)}</tbody></table>
    </section>
  );
}

/** Takes estimates to the sliders, where the model has them. */
function show(result: FitResult): void {
  const model = live.value.model;
  const names = new Set([...(model?.parameters ?? []), ...(model?.species ?? [])].map((item) => item.name));
  for (const { id, estimate } of result.parameters) if (names.has(id)) setValue(id, estimate);
  change({ tab: "curves" });
}

export function Estimates({ job, result }: { job: Job; result: FitResult | null }) {
  if (!result) return <BestSoFar job={job} />;
  const adequacy = result.adequacy?.words ?? [];
  const { said, combined, advice } = splitWords((result.plain_words ?? []).filter((line) => !adequacy.includes(line)));
  const rivals = result.rival_search?.words ?? "";
  return (
    <section aria-label="Estimates">
      <div class="section-head">
        <h2>Estimates</h2>
        <span class="buttons"><button type="button" class="quiet" onClick={() => show(result)}>Show with these values</button></span>
      </div>
      {adequacy.length > 0 && <p class={`words adequacy${result.adequacy?.accepted === false ? " rejected" : ""}`}>{adequacy.map(sentence).join("\n")}</p>}
      <Quantities result={result} combined={combined} />
      <p class="faint objective">
        Objective {formatNumber(result.objective, 6)}, {result.n_data} data. {result.message ? sentence(result.message) : ""}
      </p>
      <Words lines={[...said, ...(rivals ? [rivals] : []), ...(result.messages ?? [])]} advice={advice} />
      <Minima minima={result.minima ?? []} />
      {result.bootstrap && <BootstrapLimits bootstrap={result.bootstrap} result={result} />}
    </section>
  );
}
