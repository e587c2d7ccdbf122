"""What the package returns: plain data, comparable and picklable."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Wdl:
    """Chances to win, draw and lose in thousandths; they add up to 1000."""

    win: int
    draw: int
    loss: int

    def expectation(self) -> float:
        """The points to expect: 1 for a win, 0.5 for a draw."""
        return (self.win + 0.5 * self.draw) / 1000


@dataclass(frozen=True, slots=True)
class Score:
    """A score from one side's view: the side to move, unless turned by `white` or `black`."""

    cp: int | None
    """Centipawns; `None` for a mate."""
    mate: int | None
    """Moves to mate, negative when being mated; `None` if there is no mate."""
    wdl: Wdl
    turn: bool
    """Whose view this is: `True` is White."""

    def centipawns(self, mate_score: int = 100_000) -> int:
        """Always a number: a mate in n counts as `mate_score - n`."""
        if self.cp is not None:
            return self.cp
        moves = self.mate or 0
        return mate_score - moves if moves > 0 else -mate_score - moves

    def pov(self, turn: bool) -> Score:
        """The score from White's (`True`) or Black's view."""
        if turn == self.turn:
            return self
        wdl = Wdl(self.wdl.loss, self.wdl.draw, self.wdl.win)
        cp = None if self.cp is None else -self.cp
        mate = None if self.mate is None else -self.mate
        return Score(cp, mate, wdl, turn)

    def white(self) -> Score:
        """The score from White's view."""
        return self.pov(True)

    def black(self) -> Score:
        """The score from Black's view."""
        return self.pov(False)

    def __str__(self) -> str:
        if self.cp is not None:
            return f"{self.cp / 100:+.2f}"
        moves = self.mate or 0
        return f"#{moves}" if moves > 0 else f"-#{-moves}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of analysis."""

    multipv: int
    """The rank of the line, from 1."""
    depth: int
    seldepth: int
    score: Score
    bound: Literal["lower", "upper"] | None
    """Set if the score is only a bound."""
    nodes: int
    time: float
    """Seconds since the search began."""
    nps: int
    hashfull: int
    """How full the hash table is, in thousandths."""
    tbhits: int
    pv: tuple[str, ...]
    """The moves in coordinates."""
    san: tuple[str, ...]
    """The moves in algebraic notation."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A finished search."""

    best_move: str | None
    """The best move in coordinates; `None` if there is no legal move."""
    ponder: str | None
    """The reply expected."""
    score: Score
    depth: int
    nodes: int
    time: float
    pv: tuple[str, ...]
    san: tuple[str, ...]
    lines: tuple[Line, ...]
    """The best lines, best first; empty if there is no legal move."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the hand-crafted evaluation, as (middlegame, endgame) for each side."""

    name: str
    white: tuple[int, int]
    black: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the hand-crafted evaluation says what it says, in internal units."""

    score: Score
    """The score of the evaluation in use, network or not."""
    terms: tuple[Term, ...]
    """Empty for an endgame that is known as a whole."""
    pieces: dict[str, int]
    """What each piece is worth to its owner, by square."""
    phase: int
    scale: int
    value: int
    """The hand-crafted value from White's view."""
    text: str
    """All of it as a table."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: bool | None
    """`True` for White, `False` for Black, `None` for a draw."""
    reason: str
    result: str
    is_claim: bool
    """Whether a player would have to claim it."""


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """What a file of records says about itself."""

    score_unit: str
    description: str


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game of a record file."""

    start: str
    """The FEN before the first move."""
    result: str
    moves: tuple[str, ...]
    scores: tuple[int | None, ...]
    """The score before each move, for the side to move, in the unit the file names."""


@dataclass(frozen=True, slots=True)
class NetworkInfo:
    """What there is to say about a network."""

    hidden: int
    king_buckets: int
    output_buckets: int
    parameters: int
    checksum: str
    provenance: str


@dataclass(frozen=True, slots=True)
class Learnt:
    """How a run of `lab.learn` ended."""

    generations: int
    best: int
    """The generation of the best net; 0 if none is better than the start."""
    complete: bool
    """Whether the hours or generations asked for were reached."""
    seconds: float
    """Seconds of work in all sittings."""
    net: pathlib.Path | None
    """The best net, if there is one."""
