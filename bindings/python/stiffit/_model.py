# SPDX-License-Identifier: Apache-2.0
"""A model: simulate it, ask how stiff it is, where it rests, what a cloud of it does."""

from __future__ import annotations

import html
import math
import warnings as _warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _stiffit
from ._analyses import Comparison, Equations, Reduction, Scan, axes_of
from ._errors import InputError, NumericsError, finish
from ._load import estimates, observations, tables
from ._problem import Problem
from ._results import Cloud, Sensitivities, SteadyState, Stiffness, TimeCourse

Progress = Callable[[float], Any]
Values = Mapping[str, float]


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _names(names: Union[str, Sequence[str], None]) -> Optional[list[str]]:
    return [names] if isinstance(names, str) else None if names is None else list(names)


def _times(times: Optional[Sequence[float]]) -> Optional[list[float]]:
    if times is None:
        return None
    numbers = [float(t) for t in times]
    if not numbers:
        raise InputError("error: times holds no time; leave it away for `points` rows\n")
    return numbers


def _numbers(values: Optional[Values]) -> Optional[dict[str, float]]:
    return None if values is None else {name: float(value) for name, value in values.items()}


class Model:
    """A model that was read by `load`.

    A model that is simulated again with other values is not compiled again, so that a loop over
    values or a slider is quick.
    """

    def __init__(self, core: "_stiffit.Model") -> None:
        self._core = core
        if core.warnings:
            _warnings.warn(core.warnings.rstrip(), stacklevel=3)

    @property
    def name(self) -> str:
        """The library's name, the file, or "model" for a text."""
        return self._core.name

    @property
    def species(self) -> dict[str, float]:
        """Species with their initial values; NaN where the model computes them."""
        return self._core.species()

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and compartments with their values; NaN where the model computes them."""
        return self._core.parameters()

    @property
    def reactions(self) -> list[str]:
        """The names of the reactions; `rate(NAME)` is a column that `show` knows."""
        return self._core.reactions()

    @property
    def end(self) -> float:
        """The customary end of its time course; NaN: it has none, and 100 is used."""
        return self._core.end

    def simulate(
        self,
        end: Optional[float] = None,
        *,
        start: Optional[float] = None,
        points: Optional[int] = None,
        times: Optional[Sequence[float]] = None,
        set: Optional[Values] = None,
        show: Union[str, Sequence[str], None] = None,
        amounts: bool = False,
        method: Optional[str] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        step: Optional[float] = None,
        max_step: Optional[float] = None,
        max_steps: Optional[int] = None,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> TimeCourse:
        """A time course.

        Args:
            end: the last time; default: the model's customary end, else 100.
            start: the first time; default: the model's, else 0.
            points: so many intervals between them (default 100), `points + 1` rows.
            times: exactly these rows, ascending, instead of `points` and `end`.
            set: other values of parameters, compartments or initial values.
            show: columns: names, `[S]` concentration, `amount(S)`, `rate(J)`, `S'`.
            amounts: species as amounts.
            method: a name of `methods()`; default "automatic".
            rtol, atol: tolerances; default 1e-6, and scaled for each species.
            step: steps of this size, without error control.
            max_step: no step is longer; default: as long as the errors allow.
            max_steps: give up after so many (default 500000).
            threads: for very large models; default all cores.
            progress: called with the share that is done, from 0 to 1.

        Raises NumericsError, whose `result` has the rows that were reached, if there is no way to
        the end, and Interrupted on Ctrl-C.
        """
        raw = self._core.simulate(_given(
            end=end, start=start, points=points,
            times=_times(times), set=_numbers(set),
            show=_names(show), amounts=amounts, method=method, rtol=rtol, atol=atol, step=step,
            max_step=max_step, max_steps=max_steps, threads=threads, progress=progress))
        return _complete(raw, TimeCourse(raw))

    def sensitivities(
        self,
        by: Union[str, Sequence[str]],
        end: Optional[float] = None,
        *,
        start: Optional[float] = None,
        points: Optional[int] = None,
        times: Optional[Sequence[float]] = None,
        set: Optional[Values] = None,
        show: Union[str, Sequence[str], None] = None,
        amounts: bool = False,
        method: Optional[str] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        max_step: Optional[float] = None,
        max_steps: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Sensitivities:
        """A time course with its derivatives by the parameters or initial values `by`.

        The other arguments are those of `simulate`; methods are "rodas5p" and "bdf".
        """
        names = _names(by)
        if not names:
            raise InputError("error: sensitivities are derivatives by something: name at least one "
                             "parameter or species\n")
        raw = self._core.simulate(_given(
            by=names, end=end, start=start, points=points,
            times=_times(times), set=_numbers(set),
            show=_names(show), amounts=amounts, method=method, rtol=rtol, atol=atol,
            max_step=max_step, max_steps=max_steps, progress=progress))
        return _complete(raw, Sensitivities(raw))

    def stiffness(
        self,
        end: Optional[float] = None,
        *,
        start: Optional[float] = None,
        span: Optional[float] = None,
        points: Optional[int] = None,
        set: Optional[Values] = None,
        max_step: Optional[float] = None,
    ) -> Stiffness:
        """How stiff the model is over time, what makes it so, and which method suits.

        `span` is the time span of interest (default: end - start); the index is span/tau.
        """
        raw = self._core.stiffness(_given(end=end, start=start, span=span, points=points,
                                          set=_numbers(set), max_step=max_step))
        return _complete(raw, Stiffness(raw), raw["time"][-1] if len(raw["time"]) else None)

    def steady(
        self,
        *,
        set: Optional[Values] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        max_step: Optional[float] = None,
        max_steps: Optional[int] = None,
    ) -> SteadyState:
        """Where the model comes to rest, and whether it stays there.

        Raises NumericsError if there is no steady state; its text says why.
        """
        raw = self._core.steady(_given(set=_numbers(set), rtol=rtol, atol=atol,
                                       max_step=max_step, max_steps=max_steps))
        result = finish(raw, SteadyState(raw))
        if not result.found:
            raise NumericsError("no steady state was found: " + raw["message"])
        return result

    def ensemble(
        self,
        sample: Mapping[str, str],
        end: Optional[float] = None,
        *,
        samples: Optional[int] = None,
        seed: Optional[int] = None,
        start: Optional[float] = None,
        points: Optional[int] = None,
        set: Optional[Values] = None,
        show: Union[str, Sequence[str], None] = None,
        method: Optional[str] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        max_step: Optional[float] = None,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Cloud:
        """Many parameter sets of the model, and the bands of their time courses.

        `sample` says what is drawn, as in `{"k1": "lognormal(1,0.2)", "S": "uniform(0.5,2)"}`:
        lognormal(median, sd of log), normal(mean, sd), uniform(low, high), loguniform(low, high).
        The same `seed` gives the same bands for any number of threads.
        """
        raw = self._core.ensemble(_given(
            sample=list(sample.items()), end=end, samples=samples, seed=seed, start=start,
            points=points, set=_numbers(set), show=_names(show), method=method, rtol=rtol,
            atol=atol, max_step=max_step, threads=threads, progress=progress))
        result = finish(raw, Cloud(raw))
        if result.failures:
            _warnings.warn(f"{result.failures} of {result.samples} samples failed and are left "
                           f"out; the first: {result.reasons[0]}", stacklevel=2)
        return result

    def scan(
        self,
        vary: Mapping[str, Any],
        end: Optional[float] = None,
        *,
        start: Optional[float] = None,
        points: Optional[int] = None,
        set: Optional[Values] = None,
        show: Union[str, Sequence[str], None] = None,
        method: Optional[str] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        max_step: Optional[float] = None,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Scan:
        """A grid of runs: every combination of the values in `vary`.

        `vary` has names of parameters, compartments or initial values, each with its values, or
        with a tuple (low, high, count) or (low, high, count, "log"). Of each run `points + 1` rows
        are kept (default 1: start and end). A run that fails does not stop the others.
        """
        raw = self._core.scan(_given(
            vary=axes_of(vary), end=end, start=start, points=points, set=_numbers(set),
            show=_names(show), method=method, rtol=rtol, atol=atol, max_step=max_step,
            threads=threads, progress=progress))
        result = finish(raw, Scan(raw))
        _warn(raw["warnings"])
        if result.failures:
            _warnings.warn(f"{len(result.failures)} of {len(result)} runs failed; the first: "
                           f"{result.failures[0][1]}", stacklevel=2)
        return result

    def compare(
        self,
        methods: Union[str, Sequence[str], None] = None,
        errors: Optional[Sequence[float]] = None,
        *,
        end: Optional[float] = None,
        start: Optional[float] = None,
        points: Optional[int] = None,
        set: Optional[Values] = None,
        max_step: Optional[float] = None,
        max_steps: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Comparison:
        """Work against precision: what each method needs to reach given true errors.

        Args:
            methods: names of `methods()`; default all.
            errors: true errors to reach; default 1e-2, 1e-4 and 1e-6.
            points: errors are measured at `points + 1` times (default 50).
            max_steps: a run that needs more has failed (default 2000000).

        Raises NumericsError if two methods agree on no reference solution.
        """
        raw = self._core.compare(_given(
            methods=_names(methods), errors=None if errors is None else [float(e) for e in errors],
            end=end, start=start, points=points, set=_numbers(set), max_step=max_step,
            max_steps=max_steps, progress=progress))
        _warn(raw["warnings"])
        if raw["doubt"]:
            _warn("warning: " + raw["doubt"])
        return _complete(raw, Comparison(raw))

    def reduce(
        self,
        fast: Union[str, Sequence[str], None] = None,
        constant: Union[str, Sequence[str], None] = None,
        *,
        polynomial: bool = False,
        composite: bool = False,
        end: Optional[float] = None,
        points: Optional[int] = None,
        rtol: Optional[float] = None,
        set: Optional[Values] = None,
    ) -> Reduction:
        """The model without fast or slow species, or in polynomial form, run beside this one.

        Args:
            fast: species taken to be at rest at all times; default: those of the fastest mode.
            constant: species held at their initial values.
            polynomial: the quadratic form instead: functions and products become variables.
            composite: adds NAME_composite, fast species with their initial layer.
            end, points, rtol: of the two runs that are compared (default rtol 1e-9).

        Raises NumericsError, whose `result` has the new model, if a run fails or strays.
        """
        raw = self._core.reduce(_given(
            fast=_names(fast), constant=_names(constant), polynomial=polynomial,
            composite=composite, end=end, points=points, rtol=rtol, set=_numbers(set)))
        _warn(raw["warnings"])
        return _complete(raw, Reduction(raw, Model(raw["model"])))

    def equations(self) -> Equations:
        """The equations that the model means; `print(model.equations())` shows them."""
        return Equations(self._core.equations())

    def convert(self, to: str) -> str:
        """The model as "text", "antimony", "sbml", "c", "latex" or "net".

        What that language has no words for is left out with a warning where the numbers stay the
        same, and an InputError else.
        """
        text, left_out = self._core.convert(to)
        for what in left_out:
            _warnings.warn("left out: " + what, stacklevel=2)
        return text

    def problem(self, data: Any, estimate: Any, observe: Any = None) -> Problem:
        """A fitting problem: this model, measurements, and what is unknown.

        Args:
            data: a CSV file, a pandas DataFrame, a mapping of columns, a `Table`, or a list of
                such: an experiment each.
            estimate: "k1,k2=0.5:0.1:10", a list of such, or a mapping from names to None, a start,
                (low, high), (start, low, high) or (start, low, high, "lin" or "log").
            observe: "A340 = eps*NADH + off", a list of such, or a mapping from names to formulas.
        """
        return Problem(_stiffit.Problem.from_data(self._core, tables(data), estimates(estimate),
                                                  observations(observe)))

    def __reduce__(self) -> Any:
        """Pickled as its text, so that other processes can have it."""
        return _restored, self._core.written()

    def __repr__(self) -> str:
        return (f"<stiffit.Model {self.name!r}: {len(self.species)} species, "
                f"{len(self.reactions)} reactions, {len(self.parameters)} parameters>")

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(n)}</td><td>{v:g}</td></tr>"
                       for n, v in list(self.species.items())[:20] +
                       list(self.parameters.items())[:20])
        return f"<p>{html.escape(repr(self))}</p><table>{rows}</table>"


def _restored(text: str, name: str, submodel: str) -> Model:
    model = Model.__new__(Model)  # its warnings were given when it was read
    model._core = _stiffit.Model.from_written(text, name, submodel)
    return model


def _warn(text: str) -> None:
    if text:
        _warnings.warn(text.rstrip(), stacklevel=3)


def _complete(raw: dict, result: Any, time: Optional[float] = None) -> Any:
    finish(raw, result)
    for message in getattr(result, "messages", ()):
        if message.kind == "warning":
            _warnings.warn(message.text.rstrip(), stacklevel=3)
    if raw["status"] not in ("done", "interrupted"):
        time = raw.get("reached", time)
        raise NumericsError(raw["explanation"], math.nan if time is None else time, result)
    return result
