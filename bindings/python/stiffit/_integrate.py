# SPDX-License-Identifier: Apache-2.0
"""Any system of differential equations, given as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np

from . import _stiffit
from ._model import _complete, _given
from ._results import TimeCourse


def integrate(
    f: Callable[[float, np.ndarray], Any],
    x0: Sequence[float],
    times: Sequence[float],
    *,
    method: Optional[str] = None,
    jac: Optional[Callable[[float, np.ndarray], Any]] = None,
    pattern: Optional[Sequence[tuple[int, int]]] = None,
    dfdt: Optional[Callable[[float, np.ndarray], Any]] = None,
    autonomous: Optional[bool] = None,
    names: Optional[Sequence[str]] = None,
    rtol: Optional[float] = None,
    atol: Optional[float] = None,
    step: Optional[float] = None,
    max_step: Optional[float] = None,
    max_steps: Optional[int] = None,
    max_order: Optional[int] = None,
    progress: Optional[Callable[[float], None]] = None,
) -> TimeCourse:
    """The solution of x' = f(t, x) from x0 at times[0], a row at each of the times.

    f: takes the time and an array of n numbers, gives n numbers.
    method: a name of `methods()`; default "automatic". Taylor series need the equations.
    jac: df/dx at (t, x): n by n, rows for the equations; or, with `pattern`, its entries alone.
    pattern: pairs (row, column) where df/dx may differ from zero. Without `jac` differences stand
        for it, which a pattern makes cheaper.
    dfdt: df/dt at (t, x); without it a difference, unless `autonomous` says that there is none.
    The other arguments are those of `Model.simulate`. What a function raises is raised here.
    """
    options = _given(
        method=method,
        jac=jac,
        pattern=None if pattern is None else [(int(i), int(j)) for i, j in pattern],
        dfdt=dfdt,
        autonomous=autonomous,
        names=None if names is None else list(names),
        rtol=rtol,
        atol=atol,
        step=step,
        max_step=max_step,
        max_steps=max_steps,
        max_order=max_order,
        progress=progress,
    )
    start = np.asarray(x0, dtype=float)
    rows = np.asarray(times, dtype=float)
    raw = _stiffit.integrate(f, start, rows, options)
    return _complete(raw, TimeCourse(raw))
