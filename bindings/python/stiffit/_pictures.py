# SPDX-License-Identifier: Apache-2.0
"""Small pictures for notebooks, as SVG. For everything larger there is matplotlib, or a report."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

import numpy as np

# Okabe and Ito's colours, which people with any kind of colour vision tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a")
MOST = 7  # curves of one picture

Curve = tuple[str, np.ndarray, np.ndarray]
Band = tuple[np.ndarray, np.ndarray, np.ndarray]


def _range(arrays: Sequence[np.ndarray]) -> tuple[float, float]:
    finite = [a[np.isfinite(a)] for a in arrays]
    finite = [a for a in finite if len(a)]
    if not finite:
        return 0.0, 1.0
    low = min(float(a.min()) for a in finite)
    high = max(float(a.max()) for a in finite)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _path(x: np.ndarray, y: np.ndarray) -> str:
    pen, parts = "M", []
    for a, b in zip(x, y):
        if not (math.isfinite(a) and math.isfinite(b)):
            pen = "M"
            continue
        parts.append(f"{pen}{a:.1f} {b:.1f}")
        pen = "L"
    return "".join(parts)


def picture(curves: Sequence[Curve], bands: Sequence[Band] = (), points: Sequence[Curve] = (),
            size: tuple[int, int] = (480, 260)) -> str:
    """Curves over one axis; band i and points i have the colour of curve i."""
    more = len(curves) - MOST
    curves, bands, points = curves[:MOST], bands[:MOST], points[:MOST]
    width, height = size
    left, right, top, bottom = 56, width - 8, 8, height - 24
    x0, x1 = _range([c[1] for c in curves] + [p[1] for p in points])
    y0, y1 = _range([c[2] for c in curves] + [b for band in bands for b in band[1:]] +
                    [p[2] for p in points])

    def across(x: np.ndarray) -> np.ndarray:
        return left + (np.asarray(x) - x0) / (x1 - x0) * (right - left)

    def up(y: np.ndarray) -> np.ndarray:
        return bottom - (np.asarray(y) - y0) / (y1 - y0) * (bottom - top)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" '
             f'fill="currentColor" role="img">']
    parts.append(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" '
                 'fill="none" stroke="currentColor" stroke-opacity="0.35"/>')
    for value, y in ((y0, bottom), (y1, top + 8)):
        parts.append(f'<text x="{left - 4}" y="{y}" text-anchor="end">{value:.4g}</text>')
    parts.append(f'<text x="{left}" y="{height - 8}">{x0:.4g}</text>')
    parts.append(f'<text x="{right}" y="{height - 8}" text-anchor="end">{x1:.4g}</text>')
    for (x, low, high), colour in zip(bands, COLOURS):
        there_and_back = _path(np.concatenate([across(x), across(x)[::-1]]),
                               np.concatenate([up(high), up(low)[::-1]]))
        parts.append(f'<path d="{there_and_back}Z" fill="{colour}" fill-opacity="0.2"/>')
    for (name, x, y), colour in zip(curves, COLOURS):
        parts.append(f'<path d="{_path(across(x), up(y))}" fill="none" stroke="{colour}" '
                     f'stroke-width="1.6"><title>{html.escape(name)}</title></path>')
    for (name, x, y), colour in zip(points, COLOURS):
        for a, b in zip(across(x), up(y)):
            if math.isfinite(a) and math.isfinite(b):
                parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.2" fill="none" '
                             f'stroke="{colour}"/>')
    parts.append("</svg>")
    legend = " &nbsp; ".join(f'<span style="color:{colour}">&#9644;</span> {html.escape(name)}'
                             for (name, _, _), colour in zip(curves, COLOURS))
    if more > 0:
        legend += f" &nbsp; and {more} more"
    return f"<div>{''.join(parts)}<div style='font-size:85%'>{legend}</div></div>"


def fitted(data: Mapping[str, np.ndarray]) -> str:
    """Measurements and what a fit says of them, a curve for each observable and experiment."""
    curves: list[Curve] = []
    points: list[Curve] = []
    keys = list(dict.fromkeys(zip(data["experiment"], data["observable"])))
    for experiment, observable in keys:
        rows = (data["experiment"] == experiment) & (data["observable"] == observable)
        order = np.argsort(data["time"][rows], kind="stable")
        time = data["time"][rows][order]
        name = observable if len({e for e, _ in keys}) == 1 else f"{observable}, {experiment}"
        curves.append((name, time, data["simulation"][rows][order]))
        points.append((name, time, data["measurement"][rows][order]))
    return picture(curves, points=points) if curves else ""
