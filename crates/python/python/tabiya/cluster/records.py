"""Games of the engine against itself, and new scores for games and positions."""

from __future__ import annotations

import os
import pathlib
import re
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import ClusterError
from .connection import connect
from .games import beside
from .pieces import Job, Progress, pieces_of, replace
from .program import Done, failure, read, run, travelling
from .settings import Setting, to_arguments

Path = str | os.PathLike[str]
GAMES = 50
"""Games of a piece of self-play."""
GROUPS = 16
"""Games, or groups of 64 positions, of a piece of labels."""


class How(NamedTuple):
    """How a job is carried out; none of it changes the result."""

    piece: int
    resume: bool = False
    address: str | None = None
    quiet: bool = False


def generate(
    out: Path,
    *,
    games: int,
    piece: int = GAMES,
    resume: bool = False,
    address: str | None = None,
    quiet: bool = False,
    **settings: Setting,
) -> int:
    """Plays training games as `tabiya datagen play` does, and returns how many.

    Settings are those of the command: `nodes`, `depth`, `seed`, `evalfile`, `dfrc` and so on. The file
    can be continued by the command with `--resume`, and by `tabiya learn` if it lies in its folder.
    """
    how = How(piece, resume, address, quiet)
    return play(pathlib.Path(out), games, to_arguments(settings), how)


def play(out: pathlib.Path, games: int, arguments: Sequence[str], how: How) -> int:
    """The same with the arguments of the program."""
    piece = how.piece
    pieces = max(1, -(-games // piece))

    def command(number: int) -> list[str]:
        part = f"{number * piece}..{(number + 1) * piece}"
        whole = ["datagen", "play", "--games", str(games), *arguments]
        return [*whole, "--threads", "1", "--part", part, "--out", "part.games"]

    job = Job(
        command,
        ["part.games"],
        travelling(arguments),
        lambda number, _: number == pieces - 1,
        count=pieces,
    )
    return _gather(job, out, how)


def label(
    games: Path,
    out: Path,
    *,
    piece: int = GROUPS,
    resume: bool = False,
    address: str | None = None,
    quiet: bool = False,
    to: str | None = None,
    **settings: Setting,
) -> int:
    """Gives games or positions new scores as `tabiya label` does, and returns the number of records.

    Settings are those of the command: `nodes`, `depth`, `evalfile`, `sample`, `skip_plies`, `seed`.
    `quiet` is about the progress; positions that are not quiet are left out with `only_quiet=True`.
    """
    if settings.pop("only_quiet", False):
        settings["quiet"] = True
    arguments = to_arguments({"to": to, **settings})
    return relabel(games, pathlib.Path(out), arguments, How(piece, resume, address, quiet))


def relabel(source: Path, out: pathlib.Path, arguments: Sequence[str], how: How) -> int:
    """The same with the arguments of the program."""
    piece = how.piece
    name = pathlib.Path(source).name

    def command(number: int) -> list[str]:
        part = f"{number * piece}..{(number + 1) * piece}"
        limits = ["--threads", "1", "--groups", part, "--out", "part.records"]
        return ["label", name, *arguments, *limits]

    # A group has at least one record, so that a part without records lies behind the end.
    job = Job(
        command,
        ["part.records"],
        {**travelling(arguments), name: read(source)},
        lambda _, done: _records(done) == 0,
    )
    return _gather(job, out, how)


def _gather(job: Job, out: pathlib.Path, how: How) -> int:
    """Joins the parts to one file."""
    if out.exists():
        raise ClusterError(f"{out} exists already")
    connect(how.address)
    with (
        tempfile.TemporaryDirectory(prefix="tabiya-join-") as name,
        pieces_of(job, beside(out), how.resume, Progress(how.quiet)) as pieces,
    ):
        folder = pathlib.Path(name)
        parts: list[str] = []
        for done in pieces:
            part = f"{len(parts)}.part"
            (folder / part).write_bytes(done.outputs[0])
            parts.append(part)
        joined = run(["datagen", "join", *parts, "--out", "whole"], folder)
        if joined.returncode != 0:
            raise failure(joined.stderr, joined.returncode)
        replace(out, (folder / "whole").read_bytes())
        return _count(joined.stdout, "records")


def _records(done: Done) -> int:
    return _count(done.said, "records;")


def _count(said: str, unit: str) -> int:
    found = re.search(rf": (\d+) {unit}", said)
    if found is None:
        raise ClusterError(f"the program said {said!r}")
    return int(found[1])
