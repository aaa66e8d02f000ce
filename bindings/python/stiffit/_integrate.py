# SPDX-License-Identifier: Apache-2.0
"""Any system of differential equations, given as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np

from . import _stiffit
from ._keywords import keywords
from ._model import _complete
from ._results import TimeCourse


@keywords("integrate")
def integrate(
    f: Callable[[float, np.ndarray], Any],
    x0: Sequence[float],
    times: Sequence[float],
    *,
    jac: Optional[Callable[[float, np.ndarray], Any]] = None,
    pattern: Optional[Sequence[tuple[int, int]]] = None,
    dfdt: Optional[Callable[[float, np.ndarray], Any]] = None,
    autonomous: Optional[bool] = None,
    names: Optional[Sequence[str]] = None,
    **options: Any,
) -> TimeCourse:
    """The solution of x' = f(t, x) from x0 at times[0], a row at each of the times.

    f: takes the time and an array of n numbers, gives n numbers.
    jac: df/dx at (t, x): n by n, rows for the equations; or, with `pattern`, its entries alone.
    pattern: pairs (row, column) where df/dx may differ from zero. Without `jac` differences stand
        for it, which a pattern makes cheaper.
    dfdt: df/dt at (t, x); without it a difference, unless `autonomous` says that there is none.
    names: of the states; else x1, x2, ...

    Taylor series need the equations. What a function raises is raised here.
    """
    system = dict(jac=jac, dfdt=dfdt, autonomous=autonomous,
                  pattern=None if pattern is None else [(int(i), int(j)) for i, j in pattern],
                  names=None if names is None else list(names))
    options.update((name, value) for name, value in system.items() if value is not None)
    start = np.asarray(x0, dtype=float)
    rows = np.asarray(times, dtype=float)
    raw = _stiffit.integrate(f, start, rows, options)
    return _complete(raw, TimeCourse(raw))
