// SPDX-License-Identifier: Apache-2.0
// How stiff the model is over time, and its eigenvalues against the stability region of a method.
import { useEffect, useMemo, useState } from "preact/hooks";
import { post } from "../api.ts";
import { Busy, Empty, Problem, Select } from "../fields.tsx";
import { isInside } from "../inside.ts";
import { live, simulationRequest } from "../live.ts";
import { methods } from "../methods.ts";
import { LatestWins } from "../latest_wins.ts";
import { formatNumber } from "../numbers.ts";
import { curveColour } from "../palette.ts";
import type { Picture } from "../plot/draw.ts";
import { Plot } from "../plot/plot.tsx";
import { Store, useStore } from "../store.ts";
import { theme } from "../theme.ts";
import type { Stability, Stiffness } from "../types.ts";
import { work } from "../work.ts";

const found = new Store<{ result: Stiffness | null; failure: string; busy: boolean; of: string }>({
  result: null,
  failure: "",
  busy: false,
  of: "",
});

const questions = new LatestWins<{ request: object; key: string }>(async ({ request, key }) => {
  found.set({ busy: true, failure: "" });
  try {
    found.set({ result: await post<Stiffness>("/api/stiffness", request), busy: false, of: key });
  } catch (error) {
    found.set({ result: null, failure: (error as Error).message, busy: false, of: key });
  }
});

function ask(): void {
  const model = live.value.model;
  if (!model || !live.value.current) return;
  const { source, end, set } = simulationRequest(work.value, model);
  const request = { source, end, set };
  const key = JSON.stringify(request);
  if (key !== found.value.of) questions.ask({ request, key });
}

const VERDICTS: Record<string, string> = {
  "non-stiff": "This model is not stiff: an explicit method serves well.",
  moderate: "This model is moderately stiff.",
  stiff: "This model is stiff: use an implicit method.",
};

function Words({ result }: { result: Stiffness }) {
  const blame = [
    result.fastest_species.length ? `species ${result.fastest_species.join(", ")}` : "",
    result.fastest_reactions.length ? `reactions ${result.fastest_reactions.join(", ")}` : "",
  ].filter(Boolean);
  return (
    <section class="verdict">
      <p class="lead">{VERDICTS[result.verdict] ?? result.verdict}</p>
      <p>
        The index reaches {formatNumber(result.max_index)} at time {formatNumber(result.peak_time)}: the fastest mode decays in{" "}
        {formatNumber(result.tau)}, the time span is {formatNumber(result.span)}.
        {blame.length > 0 && ` It is carried by ${blame.join(" and ")}.`} An explicit method would be forced to take about{" "}
        {formatNumber(result.explicit_steps, 3)} steps. Recommended: <strong>{result.recommended}</strong>.
      </p>
    </section>
  );
}

function indexPicture(result: Stiffness, dark: boolean): Picture {
  const layers: Picture["layers"] = [
    { kind: "line", name: "stiffness index", x: result.rows.map((row) => row.time), y: result.rows.map((row) => row.index), colour: curveColour(0, dark) },
    { kind: "rule", name: "moderate from 100", at: 100, along: "y", colour: curveColour(7, dark) },
    { kind: "rule", name: "stiff from 2000", at: 2000, along: "y", colour: curveColour(4, dark) },
  ];
  return { x: { label: "time", log: false }, y: { label: "stiffness index", log: true }, layers, legend: true };
}

/** Eigenvalues times a step, clamped to the window so that none is overlooked. */
function planePicture(eigenvalues: [number, number][], h: number, stability: Stability | null, dark: boolean): Picture {
  const window = stability?.window ?? [-6, 3, -4, 4];
  const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  const inX: number[] = [], inY: number[] = [], outX: number[] = [], outY: number[] = [];
  for (const [re, im] of eigenvalues) {
    const x = h * re;
    const y = h * im;
    const beyond = x < window[0] || x > window[1] || y < window[2] || y > window[3];
    (beyond ? outX : inX).push(clamp(x, window[0], window[1]));
    (beyond ? outY : inY).push(clamp(y, window[2], window[3]));
  }
  const layers: Picture["layers"] = [];
  if (stability) layers.push({ kind: "region", name: `stable with ${stability.method}`, rings: stability.rings, colour: curveColour(5, dark) });
  layers.push({ kind: "rule", name: "", at: 0, along: "x", colour: curveColour(7, dark) });
  layers.push({ kind: "rule", name: "", at: 0, along: "y", colour: curveColour(7, dark) });
  layers.push({ kind: "points", name: "h·λ", x: inX, y: inY, colour: curveColour(1, dark), radius: 4 });
  if (outX.length > 0) layers.push({ kind: "points", name: "beyond the edge", x: outX, y: outY, colour: curveColour(1, dark), radius: 4, hollow: true });
  return {
    x: { label: "Re(h·λ)", log: false, range: [window[0], window[1]] },
    y: { label: "Im(h·λ)", log: false, range: [window[2], window[3]] },
    layers,
    legend: true,
    equal: true,
  };
}

const STEPS = 200;

function Plane({ result }: { result: Stiffness }) {
  const dark = useStore(theme, (value) => value.dark);
  const { integrators } = useStore(methods, (value) => value);
  const [method, setMethod] = useState("");
  const [stability, setStability] = useState<Stability | null>(result.stability ?? null);
  const [failure, setFailure] = useState("");
  const spectra = result.spectra?.length ? result.spectra : [{ time: result.peak_time, eigenvalues: result.eigenvalues }];
  const peak = useMemo(() => {
    let best = 0;
    spectra.forEach((s, i) => {
      if (Math.abs(s.time - result.peak_time) < Math.abs((spectra[best]?.time ?? 0) - result.peak_time)) best = i;
    });
    return best;
  }, [result]);
  const [moment, setMoment] = useState(peak);
  useEffect(() => setMoment(peak), [peak]);
  // From a tenth of the fastest mode to the whole time span.
  const low = (result.tau ?? result.span / 1e4) / 10;
  const high = Math.max(result.span, 10 * low);
  const [position, setPosition] = useState(Math.round((STEPS * Math.log(20)) / Math.log(high / low)));
  const h = Number((low * Math.pow(high / low, position / STEPS)).toPrecision(3));
  const names = integrators.length ? integrators.filter((m) => m.fixed_steps !== false && m.name !== "automatic").map((m) => m.name) : [result.recommended];
  const first = names.includes(result.recommended) ? result.recommended : (names[0] ?? "");
  const chosen = method || stability?.method || first;
  useEffect(() => {
    if (stability?.method === chosen) return;
    setFailure("");
    post<Stability>("/api/stability", { method: chosen }).then(setStability, (error) => {
      setStability(null);
      setFailure((error as Error).message);
    });
  }, [chosen]);
  const spectrum = spectra[Math.min(moment, spectra.length - 1)];
  const eigenvalues = spectrum?.eigenvalues ?? [];
  const picture = useMemo(() => planePicture(eigenvalues, h, stability, dark), [eigenvalues, h, stability, dark]);
  const unstable = stability
    ? eigenvalues.filter(([re, im]) => {
        const [x0, x1, y0, y1] = stability.window;
        const x = h * re;
        const y = h * im;
        return re < 0 && x > x0 && x < x1 && y > y0 && y < y1 && !isInside(stability.rings, x, y);
      }).length
    : 0;
  return (
    <section aria-label="Eigenvalues">
      <h2>Eigenvalues and stability</h2>
      <div class="controls">
        <Select label="Method" value={chosen} options={names.map((name) => ({ value: name, name }))} change={setMethod} />
        <label class="field grow">
          <span class="field-name">time {formatNumber(spectrum?.time)}</span>
          <input type="range" min={0} max={spectra.length - 1} value={moment} aria-label="Time of the eigenvalues" aria-valuetext={formatNumber(spectrum?.time)}
            disabled={spectra.length < 2} onInput={(event) => setMoment(Number(event.currentTarget.value))} />
        </label>
        <label class="field grow">
          <span class="field-name">step h {formatNumber(h, 3)}</span>
          <input type="range" min={0} max={STEPS} value={position} aria-label="Step size" aria-valuetext={formatNumber(h, 3)} onInput={(event) => setPosition(Number(event.currentTarget.value))} />
        </label>
      </div>
      <Plot picture={picture} label={`Eigenvalues times the step and the stability region of ${chosen}`} file="eigenvalues" />
      <p class="faint region-words" role="status">
        <Busy busy={!stability && !failure} words="computing the stability region" />
        {failure ||
          (stability && unstable > 0
            ? `With this step ${unstable} decaying ${unstable === 1 ? "mode lies" : "modes lie"} outside the region: errors in ${unstable === 1 ? "it" : "them"} would grow.`
            : stability && "No decaying mode in this window lies outside the region.")}
      </p>
    </section>
  );
}

export function StiffnessTab() {
  const model = useStore(live, (value) => value.model);
  const current = useStore(live, (value) => value.current);
  const set = useStore(work, (value) => value.set);
  const end = useStore(work, (value) => value.end);
  const dark = useStore(theme, (value) => value.dark);
  const { result, failure, busy } = useStore(found, (value) => value);
  useEffect(ask, [model, current, set, end]);
  const picture = useMemo(() => (result ? indexPicture(result, dark) : null), [result, dark]);
  if (!model) return <Empty>The stiffness of the model appears here once the text can be read.</Empty>;
  return (
    <div class="stiffness">
      <div class="outcome"><Busy busy={busy} words="following the eigenvalues along the solution" /></div>
      {failure && <Problem>{failure}</Problem>}
      {result && (
        <>
          <Words result={result} />
          {picture && <Plot picture={picture} size="small" label="Stiffness index over time" file="stiffness" />}
          <Plane result={result} />
        </>
      )}
    </div>
  );
}
