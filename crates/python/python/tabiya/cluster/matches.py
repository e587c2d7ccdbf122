"""Games between engines on many machines, and one decision about them."""

from __future__ import annotations

import json as json_text
import os
import pathlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ClusterError
from .connection import connect
from .games import beside
from .pieces import Job, Progress, pieces_of, replace
from .program import failure, lay_out, read, run, travelling
from .settings import Setting, to_arguments

Path = str | os.PathLike[str]
ROUNDS = 4
"""Rounds of a piece: pairs of games for each pairing."""


@dataclass(frozen=True)
class MatchResult:
    """What a match showed."""

    conclusion: str
    """`complete` without a test; `H1`, `H0` or `undecided` with one."""
    summary: dict[str, Any]
    """As `tabiya match --json` writes it."""
    report: str
    """As `tabiya match` prints it."""


def match(
    engines: Sequence[str],
    *,
    rounds: int = 50,
    journal: Path | None = None,
    pgn: Path | None = None,
    json: Path | None = None,
    piece: int = ROUNDS,
    resume: bool = False,
    address: str | None = None,
    quiet: bool = False,
    **settings: Setting,
) -> MatchResult:
    """Plays a match as `tabiya match` does: engines are described by the same words.

    Settings are those of the command: `nodes`, `tc`, `openings`, `order`, `seed`, `each` and so on. With
    `nodes` or `depth` the games are those of one machine; a clock depends on the machines.
    """
    arguments = to_arguments({"engine": list(engines), **settings})
    files = {"journal": journal, "pgn": pgn, "json": json}
    wanted = {name: pathlib.Path(path) for name, path in files.items() if path}
    return play(arguments, rounds, wanted, piece, resume, address, quiet)


def sprt(
    engines: Sequence[str],
    elo0: float,
    elo1: float,
    *,
    rounds: int = 20_000,
    piece: int = ROUNDS,
    resume: bool = False,
    journal: Path | None = None,
    address: str | None = None,
    quiet: bool = False,
    **settings: Setting,
) -> MatchResult:
    """A sequential test of `elo1` against `elo0` between two engines, with at most so many rounds.

    Games count in the order of their numbers, whoever finished first: the decision, and the game after
    which it falls, are those of one machine with one game at a time.
    """
    arguments = to_arguments({"engine": list(engines), **settings})
    arguments += ["--sprt", str(elo0), str(elo1)]
    wanted = {"journal": pathlib.Path(journal)} if journal else {}
    return play(arguments, rounds, wanted, piece, resume, address, quiet)


def play(
    arguments: Sequence[str],
    rounds: int,
    wanted: dict[str, pathlib.Path],
    piece: int,
    resume: bool,
    address: str | None,
    quiet: bool,
) -> MatchResult:
    """The same with the arguments of the program."""
    if existing := [path for path in wanted.values() if path.exists()]:
        raise ClusterError(f"{existing[0]} exists already")
    arguments, openings = _openings(arguments)
    whole = ["match", *arguments, "--rounds", str(rounds)]
    # A journal keeps games only if games are wanted.
    keep = ["--pgn", "games.pgn"] if "pgn" in wanted else []
    files = {**travelling(arguments), **openings}
    pieces = max(1, -(-rounds // piece))

    def command(number: int) -> list[str]:
        part = f"{number * piece}..{min(rounds, (number + 1) * piece)}"
        return [*whole, *keep, "--part", part, "--journal", "part.jsonl", "--quiet"]

    job = Job(command, ["part.jsonl"], files, lambda number, _: number == pieces - 1, count=pieces)
    connect(address)
    anchor = wanted.get("journal") or next(iter(wanted.values()), None)
    with tempfile.TemporaryDirectory(prefix="tabiya-match-") as name:
        folder = pathlib.Path(name)
        lay_out(files, folder)
        journal = Journal(folder, [*whole, *keep])
        store = beside(anchor) if anchor else folder / "pieces"
        with pieces_of(job, store, resume, Progress(quiet)) as parts:
            for done in parts:
                journal.add(done.outputs[0])
                if "--sprt" in arguments and journal.is_decided():
                    break
            result = journal.result()
            made = {"journal": journal.path, "pgn": folder / "games.pgn"}
            for form, path in wanted.items():
                if form == "json":
                    replace(path, (json_text.dumps(result.summary, indent=2) + "\n").encode())
                else:
                    replace(path, made[form].read_bytes())
        return result


def _openings(arguments: Sequence[str]) -> tuple[list[str], dict[str, tuple[bytes, int]]]:
    """Openings travel wherever they lie: a match knows them by their content."""
    words = list(arguments)
    if "--openings" not in words[:-1]:
        return words, {}
    at = words.index("--openings") + 1
    name = "openings-" + pathlib.Path(words[at]).name
    content = read(words[at])
    words[at] = name
    return words, {name: content}


class Journal:
    """The journals of the parts, joined, and what they show."""

    def __init__(self, folder: pathlib.Path, command: Sequence[str]) -> None:
        self.path = folder / "whole.jsonl"
        self._folder = folder
        self._command = [*command, "--journal", self.path.name, "--report", "--json", "result.json"]
        self._lines: list[bytes] = []

    def add(self, part: bytes) -> None:
        """Adds the games of the part that follows."""
        head, *games = part.splitlines(keepends=True)
        if self._lines and self._lines[0] != head:
            raise ClusterError("a part belongs to another match")
        self._lines[:1] = [head]
        self._lines += sorted(games, key=lambda line: int(json_text.loads(line)["game"]))

    def is_decided(self) -> bool:
        """Whether the test accepts one of its hypotheses; games after that are left out."""
        result = self.result()
        if result.conclusion not in ("H1", "H0"):
            return False
        del self._lines[1 + result.summary["games"] :]
        return True

    def result(self) -> MatchResult:
        """What the games so far show, by the program itself."""
        replace(self.path, b"".join(self._lines))
        done = run(self._command, self._folder)
        ends: dict[int, str] = {3: "H0", 4: "undecided", 130: "undecided"}
        if done.returncode == 0:
            ends[0] = "H1" if "--sprt" in self._command else "complete"
        if done.returncode not in ends:
            raise failure(done.stderr, done.returncode)
        summary = json_text.loads((self._folder / "result.json").read_text())
        return MatchResult(ends[done.returncode], summary, done.stdout)
