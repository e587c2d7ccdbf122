"""Tabiya inside Python: the engine, the rules of chess, and the lab's data.

>>> import tabiya
>>> engine = tabiya.Engine()
>>> engine.set_position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
>>> engine.best_move(depth=4)
'a1a8'
"""

from __future__ import annotations

import os

from . import lab
from ._tabiya import (
    Board,
    Engine,
    LiveAnalysis,
    PgnGame,
    PgnReader,
    __version__,
    analyse_many,
    evaluate_many,
    perft,
)
from .columns import Columns
from .errors import (
    ClusterError,
    EngineError,
    FenError,
    LearnError,
    NetError,
    OptionError,
    PgnError,
    RecordError,
    SanError,
    TabiyaError,
    UciMoveError,
)
from .results import Analysis, Explanation, Line, Outcome, Score, Term, Wdl

__all__ = [
    "Analysis",
    "Board",
    "ClusterError",
    "Columns",
    "Engine",
    "EngineError",
    "Explanation",
    "FenError",
    "LearnError",
    "Line",
    "LiveAnalysis",
    "NetError",
    "OptionError",
    "Outcome",
    "PgnError",
    "PgnGame",
    "PgnReader",
    "RecordError",
    "SanError",
    "Score",
    "TabiyaError",
    "Term",
    "UciMoveError",
    "Wdl",
    "__version__",
    "analyse_many",
    "evaluate_many",
    "lab",
    "legal_moves",
    "parse_pgn",
    "perft",
    "read_pgn",
]


def __dir__() -> list[str]:
    return __all__


def legal_moves(fen: str, *, chess960: bool = False) -> list[str]:
    """The legal moves of a position in coordinates."""
    return Board(fen, chess960=chess960).legal_moves


def read_pgn(path: str | os.PathLike[str]) -> PgnReader:
    """Reads a PGN file game by game, in bounded memory."""
    return PgnReader.open(path)


def parse_pgn(text: str) -> PgnReader:
    """Reads games from text."""
    return PgnReader.from_text(text)


def _restore_board(start: str, chess960: bool, moves: list[str]) -> Board:
    """Makes a board from what pickle kept of it."""
    board = Board(start, chess960=chess960)
    for move in moves:
        board.push(move)
    return board
