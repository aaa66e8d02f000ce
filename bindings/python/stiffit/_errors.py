# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: the input, the numerics, or somebody's patience."""

from __future__ import annotations

import math
from typing import Any


class InputError(ValueError):
    """A model, a table, a name or an option is wrong.

    The text says all that is wrong, for a model with line, caret and hint.
    """


class NumericsError(ArithmeticError):
    """The numerics came to no answer.

    Attributes:
        time: how far they came; NaN where there is no such time.
        result: what was reached all the same (rows of a time course, starts of a fit), or None.
    """

    def __init__(self, message: str, time: float = math.nan, result: Any = None) -> None:
        super().__init__(message)
        self.time = time
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has stopped a computation. `result` holds what was reached until then.

    None: nothing yet, a model, a problem or an objective was being made.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted before there was a result" if result is None else
                         "interrupted; `result` of this exception, or stiffit.reached(), is what "
                         "was reached")
        self.result = result


_last: Any = None


def reached() -> Any:
    """What the last interrupted computation had reached, or None.

    In a notebook the exception itself is not at hand after the cell has ended.
    """
    return _last


def finish(raw: dict, result: Any) -> Any:
    """The result of a call, unless Ctrl-C has stopped it."""
    global _last
    if raw["keyboard"]:
        _last = result
        raise Interrupted(result)
    return result
