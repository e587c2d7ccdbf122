"""Analyses all games of a PGN file on a Ray cluster.

    python ray_pgn.py games.pgn --nodes 20000 --workers 2

Each task takes a few games and returns their columns. Searches at fixed nodes do not depend on the
machine or on the other games, so that the result equals that of a single process, and a task whose
worker died is simply done again (`max_retries`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import ray
import tabiya

Game = list[str]
"""The FENs of a game, from the first position to the last."""


def read_games(path: str) -> list[Game]:
    """The positions of every game of a PGN file."""
    return [game.fens() for game in tabiya.read_pgn(path)]


def batches(games: list[Game], size: int) -> Iterator[list[Game]]:
    """The games a few at a time."""
    for start in range(0, len(games), size):
        yield games[start : start + size]


def analyse_games(games: list[Game], nodes: int) -> list[tabiya.Columns]:
    """The columns of each game, computed by one thread."""
    return [tabiya.analyse_many(game, nodes=nodes, threads=1) for game in games]


def analyse_on_cluster(games: list[Game], nodes: int, batch: int = 4) -> list[tabiya.Columns]:
    """The same on all workers of the cluster this process is connected to."""
    task = ray.remote(num_cpus=1, max_retries=3)(analyse_games)
    pending = [task.remote(some, nodes) for some in batches(games, batch)]
    return [columns for done in ray.get(pending) for columns in done]


def main() -> None:
    parser = argparse.ArgumentParser(description="Analyse the games of a PGN file with Ray.")
    parser.add_argument("pgn")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes per position")
    parser.add_argument("--workers", type=int, default=2, help="workers of the local cluster")
    parser.add_argument("--address", help="a running cluster, instead of a local one")
    arguments = parser.parse_args()
    local = {} if arguments.address else {"num_cpus": arguments.workers}
    ray.init(address=arguments.address, include_dashboard=False, **local)
    games = read_games(arguments.pgn)
    for number, columns in enumerate(analyse_on_cluster(games, arguments.nodes), start=1):
        scores = " ".join(f"{cp / 100:+.2f}" for cp in columns["cp"])
        print(f"game {number}: {scores}")
    ray.shutdown()


if __name__ == "__main__":
    main()
