# SPDX-License-Identifier: Apache-2.0
"""What analyses of a model give: grids of runs, methods compared, reduced forms, findings."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from . import _stiffit
from ._errors import InputError
from ._results import _Course, _frame, _html_table

if TYPE_CHECKING:
    import pandas

    from ._model import Model


class Finding(NamedTuple):
    """Something to say about a model: an error or a warning, with its place.

    `line` and `column` count from 1; 0 means that it is about the whole file. `text` is what the
    program shows, with the line and a caret.
    """

    severity: str
    message: str
    hint: str
    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return self.text


def check(source: Union[str, "os.PathLike[str]"]) -> list[Finding]:
    """Every finding about a model or a PEtab problem, all at once; an empty list: none.

    `source` is what `load` takes. Besides what `load` would refuse these are units that do not
    agree, and values that are not finite at the start. Raises InputError if there is no such file.
    """
    text = os.fspath(source)
    if isinstance(source, str) and any(c in source for c in "\n;<") and not os.path.exists(source):
        found = _stiffit.check_text(source, "model")
    else:
        found = _stiffit.check(text)
    return [Finding(*item) for item in found]


def grid(low: float, high: float, count: int, log: bool = False) -> np.ndarray:
    """`count` values from low to high, evenly spaced or, with `log`, at even ratios."""
    return np.array(_stiffit.grid(float(low), float(high), count, log))


class Scan(_Course):
    """A grid of runs: `values` [axis 1, axis 2, ..., time, column], `scan["S"]` one column of it.

    Attributes:
        axes: the values of each name that was varied, in the order of the first dimensions.
        time, columns: of every run.
        failures: (values on the axes, reason) of each run that failed, whose missing rows are NaN.
        interrupted: whether it was stopped; what was not reached is NaN.
    """

    def __init__(self, raw: dict) -> None:
        self.axes: dict[str, np.ndarray] = dict(raw["axes"])
        self.columns: list[str] = raw["columns"]
        self.time: np.ndarray = raw["time"]
        self.values: np.ndarray = raw["values"]
        self.failures: list[tuple[tuple[float, ...], str]] = [
            (tuple(point), reason) for point, reason in raw["failures"]]
        self.interrupted: bool = raw["interrupted"]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[..., self._index(name)]

    def __len__(self) -> int:
        return int(np.prod([len(v) for v in self.axes.values()]))

    def _table(self) -> dict[str, np.ndarray]:
        mesh = np.meshgrid(*self.axes.values(), self.time, indexing="ij")
        # An initial value that is varied has the name of the species' own column.
        names = [f"vary({name})" if name in self.columns else name for name in self.axes]
        table = {name: m.ravel() for name, m in zip([*names, "time"], mesh)}
        return {**table, **{c: self[c].ravel() for c in self.columns}}

    def __repr__(self) -> str:
        axes = ", ".join(f"{name} ({len(v)})" for name, v in self.axes.items())
        return f"<stiffit.Scan over {axes}: {len(self)} runs, {len(self.failures)} failed>"


class Comparison:
    """Work against precision: `table` has a row for each method and error.

    Attributes:
        table: dictionaries with method, error, reached, and either the run with the fewest steps
            (setting, achieved, steps, rejected, f, j, lu, newton, seconds) or a reason.
        curves: for each method every run that was made.
        reference_agreement: of the two methods that the true solution is taken from.
        doubt: why small errors mean little; empty: they do not.
    """

    def __init__(self, raw: dict) -> None:
        self.table: list[dict[str, Any]] = raw["table"]
        self.curves: dict[str, list[dict[str, Any]]] = raw["curves"]
        self.reference_agreement: float = raw["reference_agreement"]
        self.doubt: str = raw["doubt"]
        self.interrupted: bool = raw["status"] == "interrupted"

    _names = ["method", "error", "reached", "setting", "achieved", "steps", "rejected", "f", "j",
              "lu", "newton", "seconds", "reason"]

    def frame(self) -> "pandas.DataFrame":
        """The table as a pandas DataFrame; NaN where an error was not reached."""
        return _frame({n: [row.get(n, np.nan) for row in self.table] for n in self._names})

    to_pandas = frame

    def __repr__(self) -> str:
        methods = list(dict.fromkeys(row["method"] for row in self.table))
        reached = sum(row["reached"] for row in self.table)
        return (f"<stiffit.Comparison of {', '.join(methods[:6])}"
                f"{', ...' if len(methods) > 6 else ''}: {reached} of {len(self.table)} errors "
                f"reached>")

    def _repr_html_(self) -> str:
        return _html_table([{n: row.get(n, "") for n in self._names} for row in self.table],
                           self._names)


class Replacement(NamedTuple):
    """What stands for a species: `how` is solved, algebraic (0 = formula) or conserved."""

    name: str
    how: str
    formula: str


class Variable(NamedTuple):
    """A variable of a polynomial form; `meaning` is empty for one of the model."""

    name: str
    meaning: str
    initial: float


class Difference(NamedTuple):
    """How far a column is from the same one of another run.

    `largest` at `time`; `share` of the column's largest magnitude; `later` the share past an
    initial layer, from a hundredth of the time span on.
    """

    name: str
    largest: float
    share: float
    time: float
    later: float


class Verification:
    """A time course beside the same one by another method, at a hundredth of the tolerance.

    Attributes:
        course: the time course.
        method, rtol: what it was compared with; `method` is "" if none got through.
        differences, worst: column by column, and the largest share of a column's maximum.
        allowed: shares above it are no errors of rounding and tolerance.
        wrong: the columns that are, in words.
        tried: methods that could not, and why.
    """

    def __init__(self, raw: dict, course: "TimeCourse") -> None:
        self.course = course
        self.method: str = raw["method"]
        self.rtol: float = raw["rtol"]
        self.differences = [Difference(*row) for row in raw["differences"]]
        self.worst: float = raw["worst"]
        self.allowed: float = raw["allowed"]
        self.wrong: list[str] = raw["wrong"]
        self.tried: list[str] = raw["tried"]

    @property
    def agrees(self) -> bool:
        return bool(self.method) and not self.wrong

    def __repr__(self) -> str:
        words = "agrees" if self.agrees else "does not agree"
        return (f"<stiffit.Verification: {words} with {self.method or 'any method'}, at most "
                f"{self.worst:.2g} of a column's maximum apart>")


class Reduction:
    """A model in another form: `reduction.model`, its `text`, and how far it is from the old one.

    Attributes:
        fast, constant: species that were taken to be at rest, and held.
        fastest: in words what was proposed, where no species were named.
        rows: what stands for each species that was taken away.
        variables, degree, not_quadratic: of a polynomial form.
        differences, worst: of the two runs, the largest share.
        status, explanation: "done", or why the new model does not stand for the old one.
    """

    def __init__(self, raw: dict, model: "Model") -> None:
        self.model = model
        self.text: str = raw["text"]
        self.fast: list[str] = raw["fast"]
        self.constant: list[str] = raw["constant"]
        self.fastest: str = raw["fastest"]
        self.rows = [Replacement(*row) for row in raw["rows"]]
        self.variables = [Variable(*v) for v in raw["variables"]]
        self.degree: int = raw["degree"]
        self.not_quadratic: str = raw["not_quadratic"]
        self.differences: dict[str, Difference] = {
            d[0]: Difference(*d) for d in raw["differences"]}
        self.worst: float = raw["worst"]
        self.status: str = raw["status"]
        self.explanation: str = raw["explanation"]
        self.interrupted: bool = self.status == "interrupted"

    def __repr__(self) -> str:
        what = ", ".join(row.name for row in self.rows) or f"{len(self.variables)} variables"
        return f"<stiffit.Reduction {what}: curves differ by {self.worst:.2g} of their maximum>"

    def _repr_html_(self) -> str:
        return (f"<pre>{html.escape(self.text)}</pre><p>{html.escape(repr(self))}</p>")


class Equations:
    """The equations of a model: `equations["S"]` is the text of dS/dt.

    `conserved` are sums that stay as they are, `jacobian_nonzeros` counts its entries.
    """

    def __init__(self, raw: dict) -> None:
        self.rows: dict[str, str] = raw["rows"]
        self.conserved: list[str] = raw["conserved"]
        self.jacobian_nonzeros: int = raw["jacobian_nonzeros"]

    def __getitem__(self, state: str) -> str:
        return self.rows[state]

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "\n".join([f"{state}' = {text}" for state, text in self.rows.items()] +
                         self.conserved)

    def __repr__(self) -> str:
        return f"<stiffit.Equations of {', '.join(list(self.rows)[:6])}>"


def axes_of(vary: Any) -> list[tuple[str, list[float]]]:
    """Names with their values; (low, high, count) and (low, high, count, "log") are grids."""
    axes = []
    for name, values in vary.items():
        if isinstance(values, tuple) and len(values) in (3, 4) and isinstance(values[2], int):
            if len(values) == 4 and values[3] != "log":
                raise InputError(f"error: vary {name!r}: the fourth is \"log\", not "
                                 f"{values[3]!r}\n")
            values = grid(values[0], values[1], values[2], len(values) == 4)
        elif not isinstance(values, (Sequence, np.ndarray)):
            values = [values]
        axes.append((name, [float(v) for v in values]))
    return axes
