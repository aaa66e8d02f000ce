# SPDX-License-Identifier: Apache-2.0
"""A model: simulate it, ask how stiff it is, where it rests, what an ensemble of it does."""

from __future__ import annotations

import html
import math
import warnings as _warnings
from typing import Any, Optional

from . import _stiffit
from ._analyses import Comparison, Equations, Reduction, Scan, Verification, axes_of
from ._errors import InputError, NumericsError, finish
from ._keywords import keywords
from ._load import estimates, observations, tables
from ._problem import Problem
from ._results import ParameterEnsemble, Sensitivities, SteadyState, Stiffness, TimeCourse


def _require_times(options: dict[str, Any]) -> None:
    if len(options.get("times", (0,))) == 0:
        raise InputError("error: times holds no time; leave it away for `points` rows\n")


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
        """The default end time of its time course; NaN: it has none, and 100 is used."""
        return self._core.end

    @keywords("simulate", ["end"], without=["by"])
    def simulate(self, **options: Any) -> TimeCourse:
        """A time course.

        `set` is a mapping from names to values. Raises NumericsError, whose `result` has the rows
        that were reached, if there is no way to the end, and Interrupted on Ctrl-C.
        """
        _require_times(options)
        raw = self._core.simulate(options)
        return _complete(raw, TimeCourse(raw))

    @keywords("simulate", ["end"], without=["by"])
    def verify(self, **options: Any) -> Verification:
        """A time course as of `simulate`, and how far it is from the same by another method.

        Raises NumericsError and Interrupted as `simulate` does.
        """
        _require_times(options)
        raw = self._core.verify(options)
        return Verification(raw, _complete(raw["course"], TimeCourse(raw["course"])))

    @keywords("simulate", ["by", "end"], without=["step", "lanes", "threads"])
    def sensitivities(self, **options: Any) -> Sensitivities:
        """A time course with its derivatives by parameters or initial values.

        `method` is one that gives derivatives ("rodas5p", "bdf", "trbdf2", "esdirk54").
        """
        by = options.get("by", ())
        if len(by) == 0:
            raise InputError("error: sensitivities are derivatives by something: name at least one "
                             "parameter or species\n")
        _require_times(options)
        raw = self._core.simulate(options)
        return _complete(raw, Sensitivities(raw))

    @keywords("stiffness", ["end"], progress=False)
    def stiffness(self, **options: Any) -> Stiffness:
        """How stiff the model is over time, what makes it so, and which method suits.

        The index is span/tau.
        """
        raw = self._core.stiffness(options)
        return _complete(raw, Stiffness(raw), raw["time"][-1] if len(raw["time"]) else None)

    @keywords("steady", progress=False)
    def steady(self, **options: Any) -> SteadyState:
        """Where the model comes to rest, and whether it stays there.

        Raises NumericsError if there is no steady state; its text says why.
        """
        raw = self._core.steady(options)
        result = finish(raw, SteadyState(raw))
        if not result.found:
            raise NumericsError("no steady state was found: " + raw["message"])
        for text in result.warnings:
            _warnings.warn(text, stacklevel=3)
        return result

    @keywords("ensemble", ["sample", "end"])
    def ensemble(self, **options: Any) -> ParameterEnsemble:
        """Many parameter sets of the model, and the bands of their time courses.

        `sample` says what is drawn, as in `{"k1": "lognormal(1,0.2)", "S": "uniform(0.5,2)"}`.
        The same `seed` gives the same bands for any number of threads.
        """
        raw = self._core.ensemble(options)
        result = finish(raw, ParameterEnsemble(raw))
        for text in raw["messages"]:
            _warn(text)
        if result.failures:
            _warnings.warn(f"{result.failures} of {result.samples} samples failed and are left "
                           f"out; the first: {result.reasons[0]}", stacklevel=3)
        return result

    @keywords("scan", ["vary", "end"])
    def scan(self, **options: Any) -> Scan:
        """A grid of runs: every combination of the values in `vary`.

        `vary` is a mapping from names of parameters, compartments or initial values to their
        values, or to a tuple (low, high, count) or (low, high, count, "log"). A run that fails does
        not stop the others.
        """
        options["vary"] = axes_of(options.get("vary", {}))
        raw = self._core.scan(options)
        result = finish(raw, Scan(raw))
        _warn(raw["warnings"])
        if result.failures:
            _warnings.warn(f"{len(result.failures)} of {len(result)} runs failed; the first: "
                           f"{result.failures[0][1]}", stacklevel=3)
        return result

    @keywords("compare", ["methods", "errors"])
    def compare(self, **options: Any) -> Comparison:
        """Work against precision: what each method needs to reach given true errors.

        Raises NumericsError if two methods agree on no reference solution.
        """
        raw = self._core.compare(options)
        _warn(raw["warnings"])
        if raw["doubt"]:
            _warn("warning: " + raw["doubt"])
        return _complete(raw, Comparison(raw))

    @keywords("reduce", ["fast", "constant"], progress=False)
    def reduce(self, **options: Any) -> Reduction:
        """The model without fast or slow species, or in polynomial form, run beside this one.

        Raises NumericsError, whose `result` has the new model, if a run fails or strays.
        """
        raw = self._core.reduce(options)
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

    def problem(self, data: Any, estimate: Any, observe: Any = None, noise: Any = None,
                weights: str = "absolute", noise_distribution: str = "normal") -> Problem:
        """A fitting problem: this model, measurements, and what is unknown.

        Args:
            data: a CSV file, a pandas DataFrame, a mapping of columns, a `Table`, or a list of
                such: an experiment each.
            estimate: "k1,k2=0.5:0.1:10", a list of such, or a mapping from names to None, a start,
                (low, high), (start, low, high) or (start, low, high, "lin" or "log").
            observe: "A340 = eps*NADH + off", a list of such, or a mapping from names to formulas.
            noise: "A340 = s*A340 + s0", a list of such, or a mapping from names to formulas: how
                noisy the measurements are. Names that nothing else knows are estimated.
                "A340@curve1" is A340 in one experiment, "A340@each" in each with parameters of its
                own.
            weights: what columns sd(NAME) are: "absolute" errors, or "relative": right up to a
                common factor, which is estimated.
            noise_distribution: "normal", "laplace", "student-t" (4 degrees of freedom),
                "student-t:FREEDOM", or "student-t:?" to estimate them.
        """
        return Problem(_stiffit.Problem.from_data(self._core, tables(data), estimates(estimate),
                                                  observations(observe), observations(noise),
                                                  weights, noise_distribution))

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
        _warnings.warn(text.rstrip(), stacklevel=4)


def _complete(raw: dict, result: Any, time: Optional[float] = None) -> Any:
    finish(raw, result)
    for message in getattr(result, "messages", ()):
        if message.kind == "warning":
            _warnings.warn(message.text.rstrip(), stacklevel=4)
    if raw["status"] not in ("done", "interrupted"):
        time = raw.get("reached", time)
        raise NumericsError(raw["explanation"], math.nan if time is None else time, result)
    return result
