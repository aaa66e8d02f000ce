# SPDX-License-Identifier: Apache-2.0
"""Stiffit: the kinetics of reaction networks, from Python.

    import stiffit

    model = stiffit.load("oregonator")           # the library, a file, or a text
    course = model.simulate(end=40)              # numpy arrays, course["x"], course.frame()
    problem = model.problem(data="curve.csv", estimate="k1,k2")
    result = problem.fit()                       # result["k1"], result.frame(), print(result)

Computations release the GIL, and several threads may use the same objects at once. Ctrl-C stops
them and raises Interrupted (a KeyboardInterrupt), which carries what was reached.
"""

from ._analyses import (
    Comparison,
    Difference,
    Equations,
    Finding,
    Reduction,
    Replacement,
    Scan,
    Variable,
    Verification,
    check,
    grid,
)
from ._errors import InputError, Interrupted, NumericsError, reached
from ._integrate import integrate
from ._load import Table, load, methods, model_text, models, petab
from ._model import Model
from ._problem import EstimatedParameter, Objective, PointEvaluation, Problem
from ._results import (
    ParameterEnsemble,
    Fit,
    Message,
    Parameter,
    Posterior,
    Profile,
    Profiles,
    Sensitivities,
    SteadyState,
    Stiffness,
    TimeCourse,
)
from ._stiffit import version as _version

__version__: str = _version()

__all__ = [
    "ParameterEnsemble",
    "Comparison",
    "Difference",
    "Equations",
    "Finding",
    "Fit",
    "InputError",
    "Interrupted",
    "Message",
    "Model",
    "NumericsError",
    "Objective",
    "Parameter",
    "PointEvaluation",
    "Posterior",
    "Problem",
    "Profile",
    "Profiles",
    "Reduction",
    "Replacement",
    "Scan",
    "Sensitivities",
    "SteadyState",
    "Stiffness",
    "Table",
    "TimeCourse",
    "EstimatedParameter",
    "Variable",
    "Verification",
    "check",
    "grid",
    "integrate",
    "load",
    "methods",
    "model_text",
    "models",
    "petab",
    "reached",
]
