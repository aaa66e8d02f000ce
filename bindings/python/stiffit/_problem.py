# SPDX-License-Identifier: Apache-2.0
"""A fitting problem and its objective."""

from __future__ import annotations

import math
import warnings as _warnings
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _stiffit
from ._errors import NumericsError, finish
from ._keywords import keywords
from ._results import Columns, Fit, Posterior, Profiles


class EstimatedParameter(NamedTuple):
    """One that is estimated. Bounds and start are of theta, on its scale; a start may be NaN."""

    id: str
    scale: str
    lower: float
    upper: float
    start: float


class _Unknowns:
    """What problems and objectives know of their unknowns."""

    unknowns: list[EstimatedParameter]

    @property
    def names(self) -> list[str]:
        """The unknowns, in the order of theta."""
        return [u.id for u in self.unknowns]

    @property
    def scales(self) -> list[str]:
        """lin, log (natural) or log10 of each: theta is the value on that scale."""
        return [u.scale for u in self.unknowns]

    @property
    def lower(self) -> np.ndarray:
        return np.array([u.lower for u in self.unknowns])

    @property
    def upper(self) -> np.ndarray:
        return np.array([u.upper for u in self.unknowns])

    @property
    def start(self) -> np.ndarray:
        """Nominal or given thetas; NaN where there are none."""
        return np.array([u.start for u in self.unknowns])

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """As scipy.optimize takes them."""
        return [(u.lower, u.upper) for u in self.unknowns]


def _unknowns(raw: dict) -> list[EstimatedParameter]:
    return [EstimatedParameter(*row) for row in zip(raw["id"], raw["scale"], raw["lower"], raw["upper"],
                                         raw["start"])]


def _theta(theta: Any) -> np.ndarray:
    return np.asarray(theta, dtype=float).ravel()


@dataclass
class Evaluation:
    """The objective at one point; what was not asked for is None."""

    value: float
    llh: float
    chi2: float
    failure: str
    gradient: Optional[np.ndarray] = None
    fisher: Optional[np.ndarray] = None
    residuals: Optional[np.ndarray] = None
    jacobian: Optional[np.ndarray] = None


class CheckedEntry(NamedTuple):
    """An entry of a gradient beside a difference of the objective.

    The error is relative, and so is the uncertainty of the difference; `verdict` is "right",
    "wrong", or "unsure" where the differences are too noisy to tell.
    """

    parameter: str
    scale: str
    gradient: float
    difference: float
    uncertainty: float
    error: float
    verdict: str


@dataclass
class CheckedMethod:
    """A gradient by one method, forward or adjoint, against differences."""

    method: str
    failure: str
    adjoint: int
    worst: float
    passed: bool
    entries: list[CheckedEntry]


class PointEvaluation:
    """The objective at one point.

    Attributes:
        names, theta: the unknowns, and the point on their scales.
        objective, llh, chi2, n_data: as of a fit.
        gradient, fisher: derivatives by theta; None if not asked for.
        rtol: that the gradient was integrated with.
        check: for each method its gradient against differences; empty if not asked for.
        forward_against_adjoint: the largest error of one gradient by the other, if checked.
        simulations: a PEtab table as text; None if not asked for.
        messages: notes and warnings.
    """

    def __init__(self, raw: dict) -> None:
        self.names: list[str] = raw["names"]
        self.theta: np.ndarray = raw["theta"]
        self.objective: float = raw["objective"]
        self.llh: float = raw["llh"]
        self.chi2: float = raw["chi2"]
        self.n_data: int = raw["n_data"]
        self.failure: str = raw["failure"]
        self.rtol: float = raw["rtol"]
        self.messages: list[str] = raw["messages"]
        self.gradient: Optional[np.ndarray] = raw.get("gradient")
        self.fisher: Optional[np.ndarray] = raw.get("fisher")
        self.simulations: Optional[str] = raw.get("simulations")
        self.forward_against_adjoint: float = raw.get("forward_against_adjoint", math.nan)
        self.check = [CheckedMethod(m["method"], m["failure"], m["adjoint"], m["worst"],
                                    m["passed"],
                                    [CheckedEntry(*row) for row in zip(
                                        *(m["entries"][name] for name in CheckedEntry._fields))])
                      for m in raw.get("check", [])]

    @property
    def passed(self) -> bool:
        """Whether the gradient was checked, and is right by every method."""
        return bool(self.check) and all(m.passed for m in self.check)

    def __repr__(self) -> str:
        return f"<stiffit.PointEvaluation: objective {self.objective:.6g}, llh {self.llh:.6g}>"


class Objective(_Unknowns):
    """What a fit minimises, as a function of theta, the unknowns on their scales.

    Minus the logarithm of the likelihood and of the priors; half the sum of squares if the noise
    is not known. It can be called from several threads at once. Where the model cannot be
    integrated the value is inf and the derivatives are NaN; `evaluate` says why.

        scipy.optimize.minimize(f.value_and_gradient, x0, jac=True, bounds=f.bounds)
        scipy.optimize.least_squares(f.residuals, x0, jac=f.jacobian, bounds=(f.lower, f.upper))
        pypesto.Objective(fun=f.value_and_gradient, grad=True, hess=f.fisher, x_names=f.names)
    """

    def __init__(self, core: "_stiffit.Objective") -> None:
        self._core = core
        self.unknowns = _unknowns(core.unknowns)

    @property
    def n_data(self) -> int:
        return self._core.n_data

    @property
    def least_squares(self) -> bool:
        """Whether there are residuals: the noise is known, or unknown but for one factor."""
        return self._core.least_squares

    def __call__(self, theta: Any) -> float:
        raw = self._core.evaluate(_theta(theta), 0)
        return math.inf if raw["failure"] else raw["value"]

    value = __call__

    def value_and_gradient(self, theta: Any) -> tuple[float, np.ndarray]:
        """Both at once, which costs little more than the gradient alone."""
        theta = _theta(theta)
        raw = self._core.evaluate(theta, 1)
        if raw["failure"]:
            return math.inf, np.full(len(theta), math.nan)
        return raw["value"], raw["gradient"]

    def gradient(self, theta: Any) -> np.ndarray:
        return self.value_and_gradient(theta)[1]

    def fisher(self, theta: Any) -> np.ndarray:
        """The Fisher information, which stands for the Hessian."""
        return self._part(theta, "fisher", (len(self.unknowns), len(self.unknowns)))

    def residuals(self, theta: Any) -> np.ndarray:
        """Of a least-squares problem: the value is half the sum of their squares, and a constant.

        NaN where the model cannot be integrated.
        """
        self._require_least_squares()
        return self._part(theta, "residuals", (self.n_data,), 0)

    def jacobian(self, theta: Any) -> np.ndarray:
        """The derivatives of the residuals by theta."""
        self._require_least_squares()
        return self._part(theta, "jacobian", (self.n_data, len(self.unknowns)))

    def evaluate(self, theta: Any, derivatives: bool = True) -> Evaluation:
        """Everything there is to know at a point; `failure` says in words what went wrong."""
        raw = self._core.evaluate(_theta(theta), 2 if derivatives else 0)
        return Evaluation(**raw)

    def values(self, thetas: Any, threads: int = 0) -> np.ndarray:
        """Values at many points, side by side; inf where the model cannot be integrated."""
        return self._core.values(np.atleast_2d(np.asarray(thetas, dtype=float)), threads)

    def data(self, theta: Any) -> Columns:
        """Every measurement beside its simulation."""
        return Columns(self._core.data(_theta(theta)))

    def _part(self, theta: Any, name: str, shape: tuple[int, ...], need: int = 2) -> np.ndarray:
        raw = self._core.evaluate(_theta(theta), need)
        return np.full(shape, math.nan) if raw["failure"] else raw[name]

    def _require_least_squares(self) -> None:
        if not self.least_squares:
            raise TypeError("this problem has noise parameters or priors: it is no least squares")

    def __reduce__(self) -> Any:
        raise TypeError("an Objective is compiled for this process and cannot be pickled; make it "
                        "again from its problem")

    def __repr__(self) -> str:
        return f"<stiffit.Objective of {', '.join(self.names)}; {self.n_data} data>"


class Problem(_Unknowns):
    """A fitting problem, from `load`, `petab` or `Model.problem`."""

    def __init__(self, core: "_stiffit.Problem") -> None:
        self._core = core
        self.unknowns = _unknowns(core.unknowns())
        if core.warnings:
            _warnings.warn(core.warnings.rstrip(), stacklevel=3)

    @property
    def name(self) -> str:
        return self._core.name

    def to_theta(self, values: Any) -> np.ndarray:
        """From values (a sequence, or a mapping by name) to theta."""
        if hasattr(values, "keys"):
            values = [values[name] for name in self.names]
        return np.array(self._core.to_theta(_theta(values)))

    def to_values(self, theta: Any) -> np.ndarray:
        """From theta to values."""
        return np.array(self._core.to_values(_theta(theta)))

    @keywords("objective", progress=False)
    def objective(self, **options: Any) -> Objective:
        """The objective, compiled."""
        return Objective(self._core.objective(options))

    @keywords("evaluate", ["at"], progress=False)
    def evaluate(self, **options: Any) -> PointEvaluation:
        """The objective at one point, and whether its gradient is right.

        `at` may also be a mapping of names to values (not logarithms). Raises NumericsError if an
        experiment cannot be simulated.
        """
        at = options.get("at")
        if hasattr(at, "items"):
            options["at"] = ",".join(f"{name}={float(value)!r}" for name, value in at.items())
        raw = self._core.evaluate(options)
        result = PointEvaluation(raw)
        if result.failure:
            raise NumericsError(result.failure, result=result)
        return result

    @keywords("fit", ["method"])
    def fit(self, **options: Any) -> Fit:
        """Estimates the unknowns; the same answer as `stiffit fit` for the same seed.

        Raises NumericsError if no start can be evaluated, Interrupted on Ctrl-C; both carry the
        starts that are done in `result`.
        """
        raw = self._core.fit(options)
        result = finish(raw, Fit(raw))
        if raw["status"] == "failed":
            raise NumericsError(raw["message"], result=result)
        return result

    @keywords("profile", ["parameters"])
    def profile(self, **options: Any) -> Profiles:
        """Profile likelihoods of some or all unknowns, after a fit as by `fit`."""
        raw = self._core.profile(options)
        return finish(raw, Profiles(raw))

    @keywords("posterior", ["samples"])
    def ensemble(self, **options: Any) -> Posterior:
        """Draws of the unknowns given the data, and the bands of what they predict.

        A fit comes first, as by `fit`. If the chains have not converged there is a warning, and
        `converged` is False.
        """
        raw = self._core.ensemble(options)
        result = finish(raw, Posterior(raw))
        if not result.converged and not result.interrupted:
            _warnings.warn("the ensemble has not converged, and its intervals are not to be relied "
                           "on: " + "; ".join(result.notes), stacklevel=3)
        return result

    def __reduce__(self) -> Any:
        raise TypeError("a Problem cannot be pickled; pickle its model and its data, and make it "
                        "again from them")

    def __repr__(self) -> str:
        return f"<stiffit.Problem {self.name!r}: estimates {', '.join(self.names)}>"
