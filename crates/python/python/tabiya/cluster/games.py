"""Annotating the games of a PGN file."""

from __future__ import annotations

import json as json_text
import os
import pathlib
import re
import tempfile
from collections.abc import Sequence
from typing import Any

from ..errors import ClusterError
from .connection import connect
from .pieces import Job, Progress, pieces_of, replace
from .program import Done, read
from .settings import Setting, to_arguments

Path = str | os.PathLike[str]
GAMES = 8
"""Games of a piece."""


def annotate_pgn(
    games: Path,
    *,
    output: Path | None = None,
    json: Path | None = None,
    piece: int = GAMES,
    resume: bool = False,
    force: bool = False,
    address: str | None = None,
    quiet: bool = False,
    **settings: Setting,
) -> int:
    """Annotates all games of a file as `tabiya annotate` does, and returns how many there are.

    `output` is the annotated PGN, `json` one object per line and game. Settings are those of the
    command: `nodes`, `depth`, `hash`, `clean`.
    """
    wanted = {name: pathlib.Path(path) for name, path in (("output", output), ("json", json)) if path}
    return annotate(games, wanted, to_arguments(settings), piece, resume, force, address, quiet)


def annotate(
    games: Path,
    wanted: dict[str, pathlib.Path],
    arguments: Sequence[str],
    piece: int,
    resume: bool,
    force: bool,
    address: str | None,
    quiet: bool,
) -> int:
    """The same with the arguments of the program."""
    if not wanted:
        raise ClusterError("name an output: annotated games or JSON")
    if existing := [path for path in wanted.values() if path.exists() and not force]:
        raise ClusterError(f"{existing[0]} exists already")
    name = pathlib.Path(games).name
    files = {name: read(games)}
    outputs = [f"made.{form}" for form in wanted]
    flags = [word for form in wanted for word in (f"--{form}", f"made.{form}")]

    def command(number: int) -> list[str]:
        part = f"{number * piece}..{(number + 1) * piece}"
        return ["annotate", name, *arguments, *flags, "--part", part]

    def is_last(_: int, done: Done) -> bool:
        return _games(done) < piece

    connect(address)
    job = Job(command, outputs, files, is_last)
    first = next(iter(wanted.values()))
    total = 0
    texts: list[list[bytes]] = [[] for _ in wanted]
    with pieces_of(job, beside(first), resume, Progress(quiet)) as pieces:
        for done in pieces:
            total += _games(done)
            for text, content in zip(texts, done.outputs, strict=True):
                text.append(content)
        for path, text in zip(wanted.values(), texts, strict=True):
            replace(path, b"".join(text))
    return total


def analyse_pgn(
    games: Path,
    *,
    piece: int = GAMES,
    address: str | None = None,
    quiet: bool = True,
    **settings: Setting,
) -> list[dict[str, Any]]:
    """The analysis of each game, as `tabiya annotate --json` writes it (docs/ANALYST.md)."""
    with tempfile.TemporaryDirectory(prefix="tabiya-games-") as folder:
        path = pathlib.Path(folder) / "games.jsonl"
        annotate(games, {"json": path}, to_arguments(settings), piece, False, False, address, quiet)
        return [json_text.loads(line) for line in path.read_text().splitlines()]


def beside(output: pathlib.Path) -> pathlib.Path:
    """The folder for the pieces of an output."""
    return output.with_name(output.name + ".pieces")


def _games(done: Done) -> int:
    found = re.search(r"^(\d+) games? annotated", done.said, re.MULTILINE)
    if found is None:
        raise ClusterError(f"annotate said {done.said!r}")
    return int(found[1])
