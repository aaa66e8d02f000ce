# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments and docstrings from the library's tables of options."""

from __future__ import annotations

import functools
import inspect
import textwrap
from typing import Any, Callable, Optional

_TYPES = {"whole number": Optional[int], "number": Optional[float], "text": Optional[str],
          "yes or no": Optional[bool], "flag": Optional[bool], "list": Any}
_PROGRESS = {"name": "progress", "help": "called with the share that is done", "type": "callable",
             "unit": ""}


def _line(option: dict) -> str:
    text = option["name"] + ": " + option["help"]
    if option["unit"]:
        text += " [" + option["unit"] + "]"
    return textwrap.fill(text + ".", 100, initial_indent=" " * 12, subsequent_indent=" " * 16)


def keywords(first: str, table: list[dict]) -> Callable[[Callable], Callable]:
    """A method that takes the options of the table by name, and `first` without it as well."""
    table = sorted(table, key=lambda option: option["name"] != first) + [_PROGRESS]
    names = [option["name"] for option in table]

    def decorate(method: Callable) -> Callable:
        @functools.wraps(method)
        def called(self: Any, *given: Any, **options: Any) -> Any:
            if len(given) > 1:
                raise TypeError(f"{method.__name__}() takes {first} and keyword arguments only")
            if given:
                if first in options:
                    raise TypeError(f"{method.__name__}() got {first} twice")
                options[first] = given[0]
            return method(self, **{k: v for k, v in options.items() if v is not None})

        kinds = inspect.Parameter
        own = [kinds("self", kinds.POSITIONAL_OR_KEYWORD)]
        own += [kinds(option["name"],
                      kinds.POSITIONAL_OR_KEYWORD if option["name"] == first else
                      kinds.KEYWORD_ONLY,
                      default=None, annotation=_TYPES.get(option["type"], Any))
                for option in table]
        returns = method.__annotations__.get("return", inspect.Signature.empty)
        called.__signature__ = inspect.Signature(own, return_annotation=returns)
        summary, _, rest = inspect.cleandoc(method.__doc__ or "").partition("\n")
        called.__doc__ = (summary + "\n\n        Args:\n" + "\n".join(map(_line, table)) + "\n" +
                          textwrap.indent(rest, " " * 8) + "\n        ")
        called.option_names = names
        return called

    return decorate
