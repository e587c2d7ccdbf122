"""Static evaluations per second: `evaluate_many` against python-chess driving the engine by UCI.

    python evaluate_many.py path/to/tabiya [--positions 1000000] [--uci-positions 20000] [FILES]

Positions come from random games, started from the positions of the given EPD files or from the
starting position. Both ways see the same positions, in one run. Needs the package `chess`.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Iterator

import chess
import chess.engine
import tabiya


def starts(files: list[str]) -> list[str]:
    """The positions of EPD files."""
    fens = []
    for file in files:
        with open(file) as lines:
            fens += [" ".join(line.split()[:4]) + " 0 1" for line in lines if line.count("/") >= 7]
    return fens or [chess.STARTING_FEN]


def random_positions(files: list[str], seed: int) -> Iterator[str]:
    """FENs of random games, without end."""
    rng = random.Random(seed)
    openings = starts(files)
    while True:
        board = tabiya.Board(rng.choice(openings))
        for _ in range(60):
            moves = board.legal_moves
            if not moves or board.is_game_over():
                break
            board.push(rng.choice(moves))
            if board.legal_moves:
                yield board.fen()


def memory_mb() -> float:
    """The most memory this process ever used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def time_evaluate_many(fens: list[str], threads: int | None) -> float:
    start = time.perf_counter()
    columns = tabiya.evaluate_many(fens, threads=threads)
    seconds = time.perf_counter() - start
    assert len(columns["cp"]) == len(fens)
    return len(fens) / seconds


def time_uci(program: str, fens: list[str]) -> float:
    """`go depth 1` on every position, as a careful user of python-chess would write it."""
    limit = chess.engine.Limit(depth=1)
    with chess.engine.SimpleEngine.popen_uci([program]) as engine:
        start = time.perf_counter()
        for fen in fens:
            engine.analyse(chess.Board(fen), limit)
        return len(fens) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description="Static evaluations per second, two ways.")
    parser.add_argument("program", help="the engine's binary")
    parser.add_argument("files", nargs="*", help="EPD files with positions to start from")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--uci-positions", type=int, default=20_000)
    parser.add_argument("--threads", type=int, help="threads of evaluate_many; all cores if missing")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    source = random_positions(arguments.files, arguments.seed)
    fens = [fen for _, fen in zip(range(arguments.positions), source)]
    before = memory_mb()
    print(f"{len(fens)} positions in memory: {before:.0f} MB")
    ours = time_evaluate_many(fens, arguments.threads)
    print(f"evaluate_many: {ours:.0f} positions/s, {memory_mb() - before:.0f} MB more")
    uci = time_uci(arguments.program, fens[: arguments.uci_positions])
    print(f"python-chess, go depth 1: {uci:.0f} positions/s")
    print(f"ratio: {ours / uci:.0f}")


if __name__ == "__main__":
    main()
