"""Settings of Python functions as arguments of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Setting = str | int | float | bool | None | Sequence[str]


def to_arguments(settings: Mapping[str, Setting]) -> list[str]:
    """`max_moves=80, chess960=True, each=None` is `--max-moves 80 --chess960`."""
    arguments = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif isinstance(value, (list, tuple)):
            for one in value:
                arguments += [flag, str(one)]
        elif value is not None and value is not False:
            arguments += [flag, str(value)]
    return arguments
