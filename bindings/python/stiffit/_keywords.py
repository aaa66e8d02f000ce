# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments and docstrings from the library's tables of options."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Sequence
from typing import Any, Callable, Optional

from . import _stiffit

_TYPES = {"whole number": Optional[int], "number": Optional[float], "text": Optional[str],
          "yes or no": Optional[bool], "flag": Optional[bool]}
_PROGRESS = {"name": "progress", "help": "called with the share that is done, from 0 to 1",
             "type": "callable", "unit": ""}


def _line(option: dict) -> str:
    # On the command line such an option is given once for each name.
    text = option["name"] + ": " + option["help"].replace("; may be repeated", "; a mapping")
    if option["unit"]:
        text += " [" + option["unit"] + "]"
    return textwrap.fill(text + ".", 100, initial_indent=" " * 12, subsequent_indent=" " * 16)


def keywords(table: str, first: Sequence[str] = (), *, without: Sequence[str] = (),
             progress: bool = True) -> Callable[[Callable], Callable]:
    """A function that takes the options of the library's table by name.

    Those of `first` may be given without their names as well, after what the function takes
    itself; those of `without` not at all.
    """
    options = [o for o in _stiffit.options(table) if o["name"] not in without]
    options.sort(key=lambda o: list(first).index(o["name"]) if o["name"] in first else len(first))
    if progress:
        options.append(_PROGRESS)
    names = [o["name"] for o in options]

    def decorate(function: Callable) -> Callable:
        kinds = inspect.Parameter
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind != kinds.VAR_KEYWORD]
        places = [p.name for p in own if p.kind == kinds.POSITIONAL_OR_KEYWORD]

        @functools.wraps(function)
        def called(*given: Any, **more: Any) -> Any:
            bare = given[len(places):]
            if len(bare) > len(first):
                raise TypeError(f"{function.__name__}() takes {', '.join(first) or 'what it needs'}"
                                " and keyword arguments only")
            for name, value in zip(first, bare):
                if name in more:
                    raise TypeError(f"{function.__name__}() got {name} twice")
                more[name] = value
            for name in without:
                if name in more:
                    raise TypeError(f"{function.__name__}() has no argument {name}")
            return function(*given[:len(places)],
                            **{k: v for k, v in more.items() if v is not None})

        shown = [kinds(o["name"],
                       kinds.POSITIONAL_OR_KEYWORD if o["name"] in first else kinds.KEYWORD_ONLY,
                       default=None, annotation=_TYPES.get(o["type"], Any)) for o in options]
        # Those without a default stand before those with one.
        called.__signature__ = signature.replace(parameters=sorted(
            own + shown, key=lambda p: (p.kind, p.default is not kinds.empty)))
        summary, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n")
        called.__doc__ = (summary + "\n\n        Args:\n" + "\n".join(map(_line, options)) +
                          "\n" + textwrap.indent(rest, " " * 8) + "\n        ")
        called.option_names = names
        return called

    return decorate
