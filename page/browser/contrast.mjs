// SPDX-License-Identifier: Apache-2.0
// Contrast of the page's text, asked in the page.

/** Text whose contrast with its paper is below 4.5, by the formula of WCAG 2. */
export function faintText() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const part = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || !element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest(":disabled, [aria-disabled=true], .unseen, svg, option, .cm-tooltip")) continue;
    let behind = element;
    let paper = [0, 0, 0, 0];
    while (behind && paper[3] < 255) {
      paper = colour(getComputedStyle(behind).backgroundColor);
      behind = behind.parentElement;
    }
    const a = light(colour(getComputedStyle(element).color));
    const b = light(paper[3] === 255 ? paper : [255, 255, 255]);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${element.className || element.tagName}: ${element.textContent.trim().slice(0, 20)} ${contrast.toFixed(2)}`);
  }
  return found;
}
