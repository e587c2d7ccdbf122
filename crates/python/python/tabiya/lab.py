"""The lab's files: recorded games, training positions as arrays, networks in and out."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

from ._tabiya import (
    GameReader,
    PositionReader,
    network_info,
    read_weights,
    write_network,
)
from ._tabiya import import_text as _import_text
from ._tabiya import learn as _learn
from .results import Learnt, NetworkInfo, RecordedGame, RecordHeader

__all__ = [
    "GameReader",
    "Learnt",
    "NetworkInfo",
    "PositionReader",
    "RecordHeader",
    "RecordedGame",
    "import_text",
    "learn",
    "network_info",
    "read_games",
    "read_positions",
    "read_weights",
    "write_network",
]

Path = str | os.PathLike[str]


def read_games(path: Path) -> GameReader:
    """Reads a file of recorded games one by one."""
    return GameReader(path)


def read_positions(path: Path, *, king_buckets: int = 1) -> PositionReader:
    """Reads a file of training positions block by block, about 30,000 at a time.

    Each block has the columns `own_features` and `other_features` (32 numbers per position, as the
    side to move and the other side see the board; empty slots hold `reader.features`), `score`,
    `result` (0, 0.5 or 1 for the side to move), `white_to_move`, `pieces` and `ply`.
    """
    return PositionReader(path, king_buckets=king_buckets)


def import_text(
    format: Literal["games", "positions"],
    inputs: Sequence[Path],
    output: Path,
    *,
    score_unit: str = "centipawns",
    description: str = "",
) -> tuple[int, int]:
    """Reads text files into one record file; returns the records and the positions in them."""
    return _import_text(format, list(inputs), output, score_unit, description)


def learn(
    folder: Path,
    *,
    hours: float | None = None,
    generations: int | None = None,
    resume: bool = False,
    threads: int | None = None,
    start: Path | None = None,
    shape: str | None = None,
    seed: int | None = None,
    nodes: int | None = None,
    games: int | None = None,
    explore: float | None = None,
    epochs: int | None = None,
    window: int | None = None,
    results: float | None = None,
    dfrc: float | None = None,
    gate_games: int | None = None,
    gate_nodes: int | None = None,
    yardsticks: Sequence[str] | None = None,
    yardstick_games: int | None = None,
    syzygy: str | None = None,
    on_plan: Callable[[dict[str, Any]], object] | None = None,
    on_progress: Callable[[dict[str, Any]], object] | None = None,
    on_generation: Callable[[dict[str, Any]], object] | None = None,
    on_note: Callable[[str], object] | None = None,
) -> Learnt:
    """Learns chess by its own games, generation by generation; `tabiya learn` in a function.

    Give `hours` of work or a number of `generations`. `start` is `"random"`, `"hce"` or the file of a
    net. The callbacks get what the program's files say: the plan of a generation, how far it is, what
    it has shown, and lines of the log. What a callback raises ends the run, which goes on with
    `resume=True`. What is not given is as the program chooses it, or as the run was begun.
    """
    listeners: dict[str, Callable[[Any], object] | None] = {
        "planned": on_plan,
        "progress": on_progress,
        "finished": on_generation,
        "note": on_note,
    }

    def tell(kind: str, text: str) -> None:
        listener = listeners[kind]
        if listener is not None:
            listener(json.loads(text))

    done, best, complete, seconds = _learn(
        folder,
        tell,
        hours=hours,
        generations=generations,
        resume=resume,
        threads=threads,
        start=start,
        shape=shape,
        seed=seed,
        nodes=nodes,
        games=games,
        explore=explore,
        epochs=epochs,
        window=window,
        results=results,
        dfrc=dfrc,
        gate_games=gate_games,
        gate_nodes=gate_nodes,
        yardsticks=None if yardsticks is None else list(yardsticks),
        yardstick_games=yardstick_games,
        syzygy=syzygy,
    )
    net = pathlib.Path(folder) / "best.nnue" if best > 0 else None
    return Learnt(done, best, complete, seconds, net)
