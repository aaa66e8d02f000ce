# SPDX-License-Identifier: Apache-2.0
"""Where models, problems and tables come from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _stiffit
from ._errors import InputError

if TYPE_CHECKING:
    from ._model import Model
    from ._problem import Problem


def load(source: Union[str, "os.PathLike[str]"]) -> Union["Model", "Problem"]:
    """A model or a fitting problem.

    `source` is the name of a library model (see `models()`), a file (Stiffit text, SBML, BioNetGen
    `.net`; `file#name` picks one of several models), or the text of a model itself: anything with
    a line break, a semicolon or an angle bracket. A PEtab file (`.yaml`, `.yml`) gives a `Problem`,
    everything else a `Model`.
    """
    from ._model import Model

    text = os.fspath(source)
    if isinstance(source, str) and any(c in source for c in "\n;<") and not os.path.exists(source):
        return Model(_stiffit.Model.from_text(source, "model"))
    if text.endswith((".yaml", ".yml")):
        return petab(text)
    return Model(_stiffit.Model.load(text))


def petab(path: Union[str, "os.PathLike[str]"]) -> "Problem":
    """The fitting problem of a PEtab YAML file, version 1 or 2."""
    from ._problem import Problem

    return Problem(_stiffit.Problem.petab(os.fspath(path)))


def models() -> dict[str, str]:
    """The models of the library: name and title."""
    return _stiffit.models()


def model_text(name: str) -> str:
    """The text of a library model."""
    return _stiffit.model_text(name)


def methods() -> list[dict[str, str]]:
    """The methods of integration: name, family, order, stability, and what each is for."""
    return _stiffit.methods()


class Table:
    """Measurements of one experiment, from memory instead of a file.

    Args:
        columns: a pandas DataFrame, or a mapping from names to numbers. The first column (or the
            one called `time`) is the time, the others are species, observables, or `sd(NAME)`.
            NaN is a missing measurement; "<0.1" and ">50" are values known as limits only.
        name: what the experiment is called.
        conditions: initial values and parameters of this experiment: a number, or "?" if it is
            unknown, as in `Table(frame, conditions={"S": 5, "E": "?"})`.
    """

    def __init__(self, columns: Any, name: str = "data",
                 conditions: Mapping[str, Union[float, str]] = {}) -> None:
        self.name = name
        names = [str(c) for c in columns]
        if "time" in names:
            names.remove("time")
            names.insert(0, "time")
        cells = [_cells(columns[c]) for c in names]
        if len(names) < 2 or len({len(n) for n in cells}) != 1:
            raise InputError("error: a table needs a column of times and columns as long as it\n")
        lines = [f"# {key} = {value if isinstance(value, str) else repr(float(value))}"
                 for key, value in conditions.items()]
        lines.append(",".join(["time"] + [_quoted(c) for c in names[1:]]))
        lines += [",".join(row) for row in zip(*cells)]
        self.text = "\n".join(lines) + "\n"


def _cells(column: Any) -> list[str]:
    def cell(x: Any) -> str:
        if isinstance(x, str) and x.strip()[:1] in ("<", ">"):
            return x.strip()
        number = float("nan" if x is None else x)
        return "" if number != number else repr(number)

    return [cell(x) for x in np.asarray(column).ravel()]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',;"\t') else name


def tables(data: Any) -> list[tuple[str, str]]:
    """Name and text of each table; the text of a file is empty."""
    if isinstance(data, Sequence) and not isinstance(data, str):
        items = list(data)
    else:
        items = [data]
    result = []
    for number, item in enumerate(items, 1):
        if isinstance(item, (str, os.PathLike)):
            result.append((os.fspath(item), ""))
            continue
        if not isinstance(item, Table):
            item = Table(item, "data" if len(items) == 1 else f"data{number}")
        result.append((item.name, item.text))
    return result


def estimates(what: Any) -> list[str]:
    """`k1,k2=0.5:0.1:10`, a list of such, or a mapping from names to start, bounds and scale."""
    if isinstance(what, str):
        return [what]
    if not isinstance(what, Mapping):
        return list(what)
    texts = []
    for name, given in what.items():
        if given is None:
            texts.append(name)
            continue
        parts = list(given) if isinstance(given, (tuple, list)) else [given]
        if len(parts) not in (1, 2, 3, 4):
            raise InputError(f"error: estimate {name!r} is a start, (low, high), (start, low, high)"
                             " or (start, low, high, scale)\n")
        if len(parts) == 2:
            parts.insert(0, None)
        start = "" if parts[0] is None else f"={float(parts[0])!r}"
        bounds = "".join(f":{float(x)!r}" for x in parts[1:3])
        texts.append(name + start + bounds + "".join(f":{x}" for x in parts[3:]))
    return texts


def observations(what: Any) -> list[str]:
    """`NAME = formula`, a list of such, or a mapping from names to formulas."""
    if what is None:
        return []
    if isinstance(what, str):
        return [what]
    if isinstance(what, Mapping):
        return [f"{name} = {formula}" for name, formula in what.items()]
    return list(what)
