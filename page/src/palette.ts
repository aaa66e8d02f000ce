// SPDX-License-Identifier: Apache-2.0
// Colours of curves, told apart on light and dark paper and by most colour-blind readers; more
// curves than colours differ by their dashes.

const LIGHT = ["#1d6fb8", "#c9500c", "#2a8a3e", "#8a4bb0", "#b1283a", "#00808a", "#8c6d00", "#5a6472"];
const DARK = ["#6db3f2", "#f39a5b", "#74c984", "#c79bea", "#f28b98", "#4fc9d3", "#dcbc4f", "#a9b4c2"];
const DASHES: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export function curveColour(index: number, dark: boolean): string {
  const colours = dark ? DARK : LIGHT;
  return colours[index % colours.length] as string;
}

export function curveDash(index: number): number[] {
  return DASHES[Math.floor(index / LIGHT.length) % DASHES.length] as number[];
}
