"""The lab's files: recorded games, training positions as arrays, networks in and out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from ._tabiya import (
    GameReader,
    PositionReader,
    network_info,
    read_weights,
    write_network,
)
from ._tabiya import import_text as _import_text
from .results import NetworkInfo, RecordedGame, RecordHeader

__all__ = [
    "GameReader",
    "NetworkInfo",
    "PositionReader",
    "RecordHeader",
    "RecordedGame",
    "import_text",
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
