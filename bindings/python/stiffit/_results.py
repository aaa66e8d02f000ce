# SPDX-License-Identifier: Apache-2.0
"""What computations give: numpy arrays with names, tables for pandas, pictures for notebooks."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypeVar, Union

import numpy as np

from . import _pictures
from ._errors import InputError

if TYPE_CHECKING:
    import pandas

#: The shares of the quantiles of bands.
SHARES = (0.025, 0.25, 0.5, 0.75, 0.975)


def _frame(columns: Mapping[str, Any]) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables as data frames need pandas (Debian: python3-pandas)") from error
    return pandas.DataFrame(dict(columns))


def _number(x: float) -> str:
    return "" if x != x else f"{x:.6g}"


_Item = TypeVar("_Item")


class _ByName(Mapping[str, _Item]):
    """Things that are asked for by name."""

    _items: dict[str, _Item]

    def __getitem__(self, name: str) -> _Item:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class Columns(_ByName[np.ndarray]):
    """Columns of one length by name: `columns["time"]`, `columns.frame()`."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._items = {name: np.asarray(values) for name, values in columns.items()}

    def frame(self) -> "pandas.DataFrame":
        """As a pandas DataFrame."""
        return _frame(self._items)

    to_pandas = frame

    def __repr__(self) -> str:
        rows = len(next(iter(self._items.values()), ()))
        return f"<stiffit.Columns {', '.join(self._items)}; {rows} rows>"


class _Course:
    """Rows over time, with columns."""

    time: np.ndarray
    columns: list[str]

    def _index(self, name: str) -> int:
        try:
            return self.columns.index(name)
        except ValueError:
            raise InputError(f"error: there is no column {name!r}\n"
                             f"  there are {', '.join(self.columns)}\n") from None

    def __len__(self) -> int:
        return len(self.time)

    def _table(self) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def frame(self) -> "pandas.DataFrame":
        """As a pandas DataFrame, with a column `time`."""
        return _frame(self._table())

    to_pandas = frame

    def to_csv(self, path: Optional[str] = None) -> Optional[str]:
        """The table as `stiffit simulate` writes it, into a file, or as a text without one."""
        table = self._table()
        lines = [",".join('"' + n.replace('"', '""') + '"' if any(c in n for c in ',"') else n
                          for n in table)]
        for row in zip(*table.values()):
            lines.append(",".join(repr(float(x)) for x in row))
        text = "\n".join(lines) + "\n"
        if path is None:
            return text
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return None


class Message(NamedTuple):
    """What a reader of a result should know: kind is "error", "warning" or "note"."""

    kind: str
    text: str


class TimeCourse(_Course):
    """A time course: `course.time`, `course["S"]`, `course.values` [row, column].

    Attributes:
        columns: names of the columns, without time.
        method, used: the method, and what it used if it stands for several.
        counters: steps, rejected, f, j, lu, newton.
        status: "done", or why not: "too-many-steps", "step-too-small", "not-finite", "interrupted".
        reached: the time that was reached.
        messages: what there is to say about it: why it ended early, warnings about the start,
            notes (a species that is used up, fixed steps that are too long).
    """

    def __init__(self, raw: dict) -> None:
        self.time: np.ndarray = raw["time"]
        self.values: np.ndarray = raw["values"]
        self.columns: list[str] = raw["columns"]
        self.method: str = raw["method"]
        self.used: str = raw["used"]
        self.counters: dict[str, int] = raw["counters"]
        self.status: str = raw["status"]
        self.explanation: str = raw["explanation"]
        self.reached: float = raw["reached"]
        self.messages = [Message(*m) for m in raw["messages"]]

    @property
    def interrupted(self) -> bool:
        return self.status == "interrupted"

    def __getitem__(self, name: str) -> np.ndarray:
        return self.time if name == "time" else self.values[:, self._index(name)]

    def _table(self) -> dict[str, np.ndarray]:
        return {"time": self.time, **{c: self.values[:, i] for i, c in enumerate(self.columns)}}

    def __repr__(self) -> str:
        return (f"<stiffit.{type(self).__name__} of {', '.join(self.columns[:6])}"
                f"{', ...' if len(self.columns) > 6 else ''}: {len(self)} rows, "
                f"{self.counters['steps']} steps, {self.status}>")

    def _repr_html_(self) -> str:
        curves = [(c, self.time, self.values[:, i]) for i, c in enumerate(self.columns)]
        return _pictures.picture(curves) + f"<p>{html.escape(repr(self))}</p>"


class Sensitivities(TimeCourse):
    """A time course with `derivatives` [row, column, parameter]; `s["S", "k1"]` is dS/dk1."""

    def __init__(self, raw: dict) -> None:
        super().__init__(raw)
        self.by: list[str] = raw["by"]
        self.derivatives: np.ndarray = raw["derivatives"]

    def __getitem__(self, name: Union[str, tuple[str, str]]) -> np.ndarray:
        if not isinstance(name, tuple):
            return super().__getitem__(name)
        column, by = name
        if by not in self.by:
            raise InputError(f"error: there are no derivatives by {by!r}\n")
        return self.derivatives[:, self._index(column), self.by.index(by)]

    def _table(self) -> dict[str, np.ndarray]:
        table = super()._table()
        for i, column in enumerate(self.columns):
            for k, by in enumerate(self.by):
                table[f"d({column})/d({by})"] = self.derivatives[:, i, k]
        return table


class Stiffness:
    """How stiff a model is: `time`, `index`, `tau`, `lambda_min`, `lambda_max` as arrays.

    Attributes:
        verdict: non-stiff, moderate or stiff.
        recommended: the method that suits.
        max_index, peak_index, peak_time, explicit_steps, span: numbers.
        fastest: the species of the fastest mode at each time.
        species, reactions: their shares in the fastest mode at the peak.
        eigenvalues: at the peak, of small models.
    """

    def __init__(self, raw: dict) -> None:
        for name in ("time", "index", "tau", "lambda_min", "lambda_max"):
            setattr(self, name, raw[name])
        self.fastest: list[str] = raw["fastest"]
        self.interrupted: bool = raw["status"] == "interrupted"
        self.span: float = raw["span"]
        self.max_index: float = raw["max_index"]
        self.peak_time: float = raw["peak_time"]
        self.peak_index: float = raw["peak_index"]
        self.explicit_steps: float = raw["explicit_steps"]
        self.verdict: str = raw["verdict"]
        self.recommended: str = raw["recommended"]
        self.species: dict[str, float] = raw["species"]
        self.reactions: dict[str, float] = raw["reactions"]
        self.eigenvalues = np.array(raw["eigenvalues"], dtype=complex)

    time: np.ndarray
    index: np.ndarray
    tau: np.ndarray
    lambda_min: np.ndarray
    lambda_max: np.ndarray

    def frame(self) -> "pandas.DataFrame":
        return _frame({"time": self.time, "index": self.index, "tau": self.tau,
                       "lambda_min": self.lambda_min, "lambda_max": self.lambda_max,
                       "fastest_species": self.fastest})

    to_pandas = frame

    def __repr__(self) -> str:
        return (f"<stiffit.Stiffness: {self.verdict}, index {self.max_index:.4g}, "
                f"recommended {self.recommended}>")

    def _repr_html_(self) -> str:
        return (_pictures.picture([("index", self.time, self.index)]) +
                f"<p>{html.escape(repr(self))}</p>")


class SteadyState(_ByName[float]):
    """Where a model rests: `steady["S"]`, `stability`, `eigenvalues`, `residual`, `how`.

    `message` says why a time course does not come to rest there, `warnings` what is odd about it.
    """

    def __init__(self, raw: dict) -> None:
        self.found: bool = raw["found"]
        self.names: list[str] = raw["names"]
        self.values_array: np.ndarray = raw["values"]
        self.residual: float = raw["residual"]
        self.stability: str = raw["stability"]
        self.eigenvalues = np.array(raw["eigenvalues"], dtype=complex)
        self.how: str = raw["how"]
        self.warnings: list[str] = raw["warnings"]
        self.message: str = raw["message"]
        self._items = dict(zip(self.names, self.values_array.tolist()))

    def __repr__(self) -> str:
        values = ", ".join(f"{n} = {v:.6g}" for n, v in self._items.items())
        return f"<stiffit.SteadyState {self.stability}: {values}>"


class ParameterEnsemble(_Course):
    """Bands of many time courses: `mean`, `sd` [time, column], `quantiles` [share, time, column].

    `ensemble.quantile("S", 0.975)` is one curve; the shares are 0.025, 0.25, 0.5, 0.75 and 0.975.
    """

    def __init__(self, raw: dict) -> None:
        self.time: np.ndarray = raw["time"]
        self.columns: list[str] = raw["columns"]
        self.mean: np.ndarray = raw["mean"]
        self.sd: np.ndarray = raw["sd"]
        self.quantiles: np.ndarray = raw["quantiles"]
        self.samples: int = raw["samples"]
        self.failures: int = raw["failures"]
        self.reasons: list[str] = raw["reasons"]
        self.interrupted: bool = raw["interrupted"]

    def quantile(self, column: str, share: float) -> np.ndarray:
        if share not in SHARES:
            raise InputError(f"error: there are quantiles for {', '.join(map(str, SHARES))}\n")
        return self.quantiles[SHARES.index(share), :, self._index(column)]

    def _table(self) -> dict[str, np.ndarray]:
        table = {"time": self.time}
        for i, column in enumerate(self.columns):
            table[f"mean({column})"] = self.mean[:, i]
            table[f"sd({column})"] = self.sd[:, i]
            for k, share in enumerate(SHARES):
                table[f"q{100 * share:g}({column})"] = self.quantiles[k, :, i]
        return table

    def __repr__(self) -> str:
        return (f"<stiffit.ParameterEnsemble of {', '.join(self.columns[:6])}: {self.samples} samples, "
                f"{self.failures} failed>")

    def _repr_html_(self) -> str:
        curves = [(c, self.time, self.quantiles[2, :, i]) for i, c in enumerate(self.columns)]
        bands = [(self.time, self.quantiles[0, :, i], self.quantiles[4, :, i])
                 for i in range(len(self.columns))]
        return _pictures.picture(curves, bands) + f"<p>{html.escape(repr(self))}</p>"


@dataclass(frozen=True)
class Parameter:
    """An estimate. `low` and `high` are its limits at the level of the fit, `verdict` says what
    they mean."""

    id: str
    scale: str
    estimate: float
    standard_error: float
    low: float
    high: float
    theta: float
    theta_error: float
    limits_by: str
    noise: bool
    at_bound: str
    determination: str
    verdict: str


def _rows(columns: Mapping[str, list]) -> list[dict]:
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _html_table(rows: list[dict], names: list[str]) -> str:
    def cell(value: Any) -> str:
        return html.escape(_number(value) if isinstance(value, float) else str(value))

    head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
    body = "".join("<tr>" + "".join(f"<td>{cell(r[n])}</td>" for n in names) + "</tr>"
                   for r in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


class Fit:
    """What a fit found: `fit["k1"]` is an estimate, `fit.parameters["k1"]` all about it.

    Attributes:
        status: "done", "interrupted" or "failed".
        outcome, message: how the best descent ended.
        objective, llh, chi2, n_data: at the best point.
        level: of the limits.
        theta: the best point on the scales of the unknowns.
        covariance, correlation: of theta, for the unknowns `free` that are at no bound.
        starts: all starts, the best first: index, objective, outcome, message, theta.
        data: every measurement beside its simulation, noise and residual.
        adequacy: whether the model describes the data.
        words: that, what is determined and what not, and what to measure next.
        messages: warnings.
        json: the document of `stiffit fit --json`.
    """

    def __init__(self, raw: dict) -> None:
        self.parameters: dict[str, Parameter] = {
            row["id"]: Parameter(**row) for row in _rows(raw["parameters"])}
        self.status: str = raw["status"]
        self.outcome: str = raw["outcome"]
        self.message: str = raw["message"]
        self.objective: float = raw["objective"]
        self.llh: float = raw["llh"]
        self.chi2: float = raw["chi2"]
        self.n_data: int = raw["n_data"]
        self.level: float = raw["level"]
        self.free: list[str] = raw["free"]
        self.covariance: np.ndarray = raw["covariance"]
        self.correlation: np.ndarray = raw["correlation"]
        self.starts: list[dict[str, Any]] = _rows(raw["starts"])
        self.data = Columns(raw["data"])
        self.words: list[str] = raw["words"]
        self.messages: list[str] = raw["messages"]
        self.json: str = raw["json"]

    @property
    def estimates(self) -> dict[str, float]:
        return {name: p.estimate for name, p in self.parameters.items()}

    @property
    def theta(self) -> np.ndarray:
        return np.array([p.theta for p in self.parameters.values()])

    @property
    def interrupted(self) -> bool:
        return self.status == "interrupted"

    @property
    def adequacy(self) -> dict[str, Any]:
        """Whether the model describes the data: accepted (None: not tested), p_value, tests,
        observables, s, r2, aic, aicc, bic, words."""
        return self.to_dict()["adequacy"]

    @property
    def combinations(self) -> list[dict[str, Any]]:
        """Expressions of parameters that the data determine though not their parts: formula, value,
        low, high, determination, parameters."""
        return self.to_dict()["combinations"]

    @property
    def derived(self) -> dict[str, dict[str, Any]]:
        """What `derive` asked for, by name: formula, value, low, high (None: open), limits_by,
        determination, verdict."""
        return {d["name"]: d for d in self.to_dict()["derived"]}

    @property
    def next_measurements(self) -> list[dict[str, Any]]:
        """The best one, three and five further measurements, as far as they help: n, measurements
        (quantity, experiment, time, error, measured, within), factor (by which limits would be
        narrower), parameters (id, open_so_far, factor, limits), words."""
        return self.to_dict().get("next_measurements", [])

    @property
    def bootstrap(self) -> Optional[dict[str, Any]]:
        """Of `fit(bootstrap=1000)`: kind, asked, used, failed, words, and for each of the parameters
        limits, percentile_limits, theta_bias and theta_error. None: it was not asked for."""
        return self.to_dict().get("bootstrap")

    def __getitem__(self, name: str) -> float:
        return self.parameters[name].estimate

    def to_dict(self) -> dict[str, Any]:
        """The document of `stiffit fit --json`."""
        return json.loads(self.json)

    def frame(self) -> "pandas.DataFrame":
        """The parameters as a pandas DataFrame."""
        rows = list(self.parameters.values())
        return _frame({name: [getattr(p, name) for p in rows]
                       for name in Parameter.__dataclass_fields__})

    to_pandas = frame

    def __repr__(self) -> str:
        return (f"<stiffit.Fit {self.status}: objective {self.objective:.8g}; " +
                ", ".join(f"{n} = {v:.6g}" for n, v in self.estimates.items()) + ">")

    def __str__(self) -> str:
        width = max([len(n) for n in self.parameters] + [9])
        level = f"{100 * self.level:g} %"
        lines = [f"{'parameter':{width}}  {'estimate':>12}  {level + ' low':>12}  "
                 f"{level + ' high':>12}"]
        lines += [f"{p.id:{width}}  {p.estimate:12.6g}  {_number(p.low):>12}  {_number(p.high):>12}"
                  f"  {p.verdict}" for p in self.parameters.values()]
        return "\n".join(lines + [""] + self.words + self.messages)

    def _repr_html_(self) -> str:
        names = ["id", "estimate", "standard_error", "low", "high", "verdict"]
        rows = [vars(p) for p in self.parameters.values()]
        words = "".join(f"<li>{html.escape(w)}</li>" for w in self.words)
        return (_pictures.fitted(self.data) + f"<p>{html.escape(self.status)}: objective "
                f"{self.objective:.8g}</p>" + _html_table(rows, names) + f"<ul>{words}</ul>")


class Profile:
    """The profile likelihood of one unknown.

    `values` ascend, `objective` is what the fit of the others reaches there, `ratio` passes the
    threshold at `low` and `high` (NaN: no limit on that side, `low_stop` and `high_stop` say why).
    `intervals`: the stretches from `low` to `high` that fit, one (low, high) each; mostly one.
    """

    def __init__(self, raw: dict) -> None:
        self.id: str = raw["id"]
        self.scale: str = raw["scale"]
        self.estimate: float = raw["estimate"]
        self.low: float = raw["low"]
        self.high: float = raw["high"]
        self.intervals: list[tuple[float, float]] = raw["intervals"]
        self.low_stop: str = raw["low_stop"]
        self.high_stop: str = raw["high_stop"]
        self.verdict: str = raw["verdict"]
        self.values: np.ndarray = raw["values"]
        self.objective: np.ndarray = raw["objective"]
        self.ratio: np.ndarray = raw["ratio"]

    def __repr__(self) -> str:
        return (f"<stiffit.Profile {self.id} = {self.estimate:.6g}, {_number(self.low) or '-'} to "
                f"{_number(self.high) or '-'}: {self.verdict}>")


class Prediction:
    """The profile likelihood of a value that the model predicts, such as "P at 300".

    `low` and `high` are its limits (NaN: none), `standard_error` is that of the linear theory,
    `values`, `objective` and `ratio` go along the profile.
    """

    def __init__(self, raw: dict) -> None:
        self.what: str = raw["what"]
        self.estimate: float = raw["estimate"]
        self.standard_error: float = raw["standard_error"]
        self.low: float = raw["low"]
        self.high: float = raw["high"]
        self.low_stop: str = raw["low_stop"]
        self.high_stop: str = raw["high_stop"]
        self.verdict: str = raw["verdict"]
        self.values: np.ndarray = raw["values"]
        self.objective: np.ndarray = raw["objective"]
        self.ratio: np.ndarray = raw["ratio"]

    def __repr__(self) -> str:
        return (f"<stiffit.Prediction {self.what} = {self.estimate:.6g}, "
                f"{_number(self.low) or '-'} to {_number(self.high) or '-'}>")


class Pair:
    """The confidence region of two unknowns at once: its contour, point by point.

    `threshold` is that of two (chi-square or F with 2 degrees of freedom); `closed` is False if
    the contour runs into a bound, which `message` names.
    """

    def __init__(self, raw: dict) -> None:
        self.first: str = raw["first"]
        self.second: str = raw["second"]
        self.threshold: float = raw["threshold"]
        self.closed: bool = raw["closed"]
        self.first_values: np.ndarray = raw["first_values"]
        self.second_values: np.ndarray = raw["second_values"]
        self.ratio: np.ndarray = raw["ratio"]
        self.stop: str = raw["stop"]
        self.message: str = raw["message"]

    def __repr__(self) -> str:
        return (f"<stiffit.Pair {self.first}, {self.second}: {len(self.ratio)} points"
                f"{'' if self.closed else ', not closed'}>")


class Profiles(_ByName[Profile]):
    """Profiles by name: `profiles["k1"].low`; `predictions` and `pairs` as they were asked for."""

    def __init__(self, raw: dict) -> None:
        self._items = {p["id"]: Profile(p) for p in raw["profiles"]}
        self.predictions: list[Prediction] = [Prediction(p) for p in raw["predictions"]]
        self.pairs: list[Pair] = [Pair(p) for p in raw["pairs"]]
        self.interrupted: bool = raw["interrupted"]
        self.level: float = raw["level"]
        self.threshold: float = raw["threshold"]
        self.objective: float = raw["objective"]
        self.words: list[str] = raw["words"]
        self.messages: list[str] = raw["messages"]
        self.json: str = raw["json"]

    @property
    def combinations(self) -> list[dict[str, Any]]:
        """Expressions of parameters that the data determine though not their parts: formula, value,
        low, high, determination, parameters."""
        return json.loads(self.json)["combinations"]

    @property
    def derived(self) -> dict[str, dict[str, Any]]:
        """What `derive` asked for, by name: formula, value, low, high (None: open), limits_by,
        determination, verdict."""
        return {d["name"]: d for d in json.loads(self.json)["derived"]}

    def frame(self) -> "pandas.DataFrame":
        """The intervals as a pandas DataFrame."""
        names = ("id", "scale", "estimate", "low", "high", "low_stop", "high_stop", "verdict")
        return _frame({n: [getattr(p, n) for p in self._items.values()] for n in names})

    to_pandas = frame

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._items.values()))

    def _repr_html_(self) -> str:
        def one(p: Profile) -> str:
            threshold = np.full(len(p.values), self.threshold)
            return _pictures.picture([(p.id, p.values, p.ratio),
                                      ("threshold", p.values, threshold)], size=(300, 180))

        return "".join(map(one, self._items.values()))


class Posterior:
    """Draws of the unknowns that fit the data.

    Attributes:
        draws: [chain, draw, parameter], as values; `posterior["k1"]` are all draws of one.
        parameters: for each the best fit, mean, median, sd, 95 % low and high, r_hat, effective
            samples and whether it has converged.
        converged: whether all have.
        bands: experiment, quantity, time, mean, sd and quantiles of every species and observable.
        words, notes, messages, json: as of a fit.
    """

    def __init__(self, raw: dict) -> None:
        self.names: list[str] = raw["parameters"]["id"]
        self.parameters: dict[str, dict[str, Any]] = {
            row["id"]: row for row in _rows(raw["parameters"])}
        self.draws: np.ndarray = raw["draws"]
        self.converged: bool = raw["converged"]
        self.interrupted: bool = raw["interrupted"]
        self.bands = Columns({**raw["bands"], **{
            f"q{100 * share:g}": raw["quantiles"][:, k] for k, share in enumerate(SHARES)}})
        self.words: list[str] = raw["words"]
        self.notes: list[str] = raw["notes"]
        self.messages: list[str] = raw["messages"]
        self.json: str = raw["json"]

    @property
    def derived(self) -> dict[str, dict[str, Any]]:
        """What `derive` asked for, by name: formula, value, low, high (None: open), limits_by,
        determination, verdict."""
        return {d["name"]: d for d in json.loads(self.json)["derived"]}

    def __getitem__(self, name: str) -> np.ndarray:
        return self.draws[:, :, self.names.index(name)].ravel()

    def frame(self) -> "pandas.DataFrame":
        """All draws as a pandas DataFrame, a column for each unknown."""
        chains, draws, _ = self.draws.shape
        return _frame({"chain": np.repeat(np.arange(chains), draws),
                       "draw": np.tile(np.arange(draws), chains),
                       **{name: self[name] for name in self.names}})

    to_pandas = frame

    def __repr__(self) -> str:
        chains, draws, _ = self.draws.shape
        return (f"<stiffit.Posterior of {', '.join(self.names)}: {chains} chains of {draws} draws, "
                f"{'converged' if self.converged else 'not converged'}>")

    def _repr_html_(self) -> str:
        names = ["id", "best", "median", "low", "high", "r_hat", "effective_bulk"]
        return (_html_table(list(self.parameters.values()), names) +
                f"<p>{html.escape(repr(self))}</p>")
