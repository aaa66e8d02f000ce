// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { namesOf, sidesOf } from "../src/formula_names.ts";
import { isInside } from "../src/inside.ts";
import { LatestWins } from "../src/latest_wins.ts";
import { drawPicture, type Picture } from "../src/plot/draw.ts";
import { SvgPen } from "../src/plot/pen.ts";
import { bandsOf, profilePicture } from "../src/tabs/uncertainty_pictures.ts";
import { dataCurves, fitPicture, fittedCurves, hasLimits } from "../src/tabs/fit_pictures.ts";

const inks = { paper: "#fff", ink: "#000", faint: "#666", grid: "#eee" };

function svgOf(picture: Picture): string {
  const pen = new SvgPen();
  drawPicture(pen, picture, 400, 300, inks);
  return pen.document(400, 300, inks.paper);
}

test("a curve has gaps where nothing is known, and names are escaped", () => {
  const svg = svgOf({
    x: { label: "time", log: false }, y: { label: "a<b & c", log: false }, legend: true,
    layers: [{ kind: "line", name: "x", x: [0, 1, 2, 3, 4], y: [0, 1, null, 3, 4], colour: "#123456" }],
  });
  const path = /<path d="([^"]*)"[^>]*stroke="#123456"[^>]*stroke-width="1.8"/.exec(svg)?.[1] ?? "";
  assert.equal((path.match(/M/g) ?? []).length, 2);
  assert.ok(svg.includes("a&lt;b &amp; c"));
  assert.ok(!svg.includes("NaN"));
});

test("every kind of layer is drawn on either scale", () => {
  for (const log of [false, true]) {
    const svg = svgOf({
      x: { label: "x", log: false }, y: { label: "y", log }, legend: true,
      layers: [
        { kind: "band", name: "b", x: [0, 1], low: [0, 0.5], high: [1, 2], colour: "#000001" },
        { kind: "points", name: "p", x: [0, 1], y: [1, 0.2], error: [0.1, 0.5], colour: "#000002" },
        { kind: "region", name: "r", rings: [[[0, 1], [1, 1], [1, 2]]], colour: "#000003" },
        { kind: "rule", name: "u", at: 1, along: "y", colour: "#000004" },
      ],
    });
    for (const colour of ["#000001", "#000002", "#000003", "#000004"]) assert.ok(svg.includes(colour), colour);
    assert.ok(!svg.includes("NaN"));
  }
});

test("inside and outside of a ring, and of a hole in it", () => {
  const square: [number, number][] = [[0, 0], [4, 0], [4, 4], [0, 4]];
  const hole: [number, number][] = [[1, 1], [2, 1], [2, 2], [1, 2]];
  assert.ok(isInside([square], 3, 3));
  assert.ok(!isInside([square], 5, 3));
  assert.ok(!isInside([square, hole], 1.5, 1.5));
});

test("names of a formula without functions, constants and numbers", () => {
  assert.deepEqual(namesOf("10*P + off*exp(-time/1e3) + P"), ["P", "off"]);
  assert.deepEqual(sidesOf("A405 = 10*P"), { left: "A405", right: "10*P" });
});

test("of many questions the first and the newest are answered", async () => {
  const answered: number[] = [];
  let release = () => {};
  const newest = new LatestWins<number>(async (n) => {
    answered.push(n);
    await new Promise<void>((resolve) => (release = resolve));
  });
  for (const n of [1, 2, 3]) newest.ask(n);
  release();
  await new Promise((resolve) => setTimeout(resolve, 0));
  release();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(answered, [1, 3]);
  assert.ok(!newest.busy);
});

test("a failing answer does not block the next question", async () => {
  const answered: number[] = [];
  const newest = new LatestWins<number>(async (n) => {
    answered.push(n);
    throw new Error("no");
  });
  newest.ask(1);
  await new Promise((resolve) => setTimeout(resolve, 0));
  newest.ask(2);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(answered, [1, 2]);
});

test("rows of an ensemble become series, profiles are in the order of their values", () => {
  const row = (time: number, quantity: string) => ({ experiment: "e", time, quantity, measured: true, mean: 1, "q2.5": 0, q25: 1, q50: 2, q75: 3, "q97.5": 4 });
  const series = bandsOf([row(0, "A"), row(0, "B"), row(1, "A"), row(1, "B")]);
  assert.equal(series.length, 2);
  assert.deepEqual(series[0]?.time, [0, 1]);
  assert.deepEqual(series[0]?.quantiles["q97.5"], [4, 4]);
  const side = (points: [number, number, number][]) => ({ stop: "threshold", limit: points[0]?.[0] ?? null, message: "", points });
  const picture = profilePicture({ id: "k", scale: "log", estimate: 2, verdict: "", lower: side([[1, 0, 4]]), upper: side([[3, 0, 4]]) }, 3.84, false);
  const line = picture.layers[0];
  assert.ok(line?.kind === "line");
  assert.deepEqual([...(line.x as number[])], [1, 2, 3]);
});

test("data are shown before there is a fit", () => {
  const curves = dataCurves([{ name: "low.csv", content: "time,A,sd(A)\n0,1,0.1\n1,2,0.1\n" }]);
  assert.equal(curves.length, 1);
  const picture = fitPicture(curves, "A", false, false);
  assert.deepEqual(picture.layers.map((layer) => layer.kind), ["points"]);
});

test("limits of the data are drawn with an arrow to their side, without error bars", () => {
  const curves = dataCurves([{ name: "low.csv", content: "time,A,sd(A)\n0,<0.1,0.1\n1,2,0.1\n2,>5,0.1\n" }]);
  assert.deepEqual(curves[0]?.data.limit, ["below", null, "above"]);
  assert.ok(hasLimits(curves, "A") && !hasLimits(curves, "B"));
  const picture = fitPicture(curves, "A", false, false);
  const svg = svgOf({ ...picture, legend: false });
  const colour = (picture.layers[0] as { colour: string }).colour;
  const strokes = [...svg.matchAll(/<path d="([^"]*)"[^>]*stroke="([^"]*)"[^>]*>/g)].filter((match) => match[2] === colour);
  assert.equal(strokes.length, 3 + 1 + 3, "a bar, a shaft and a head for each limit; one error bar");
  assert.equal((svg.match(/<circle/g) ?? []).length, 1);
  const heights = (path: string) => [...path.matchAll(/[ML]?[-\d.]+[ ,]([-\d.]+)/g)].map((match) => Number(match[1]));
  const [, below] = strokes.map((match) => heights(match[1] as string));
  assert.ok(below && (below[1] as number) > (below[0] as number), "what lies below points down");
  assert.ok(!svg.includes("NaN"));
});

test("a fit keeps the limits of its data", () => {
  const measured = dataCurves([{ name: "low.csv", content: "time,A\n0,<0.1\n" }]);
  const data = { time: [0], value: [0.1], sd: [1], limit: ["below" as const] };
  const fitted = [{ name: "A", experiment: "low", data, curve: { time: [0], value: [0] } }];
  const job = { id: "1", kind: "fit" as const, title: "", state: "done" as const, simulations: { observables: fitted } };
  assert.deepEqual(fittedCurves(job, measured, false)[0]?.data, { time: [0], value: [0.1], limit: ["below"] });
});
