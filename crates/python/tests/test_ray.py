"""A local cluster of two workers: the same results, even if a worker is killed."""

import importlib.util
import os
import pathlib
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import CRATE, PGN

ray = pytest.importorskip("ray")

NODES = 300


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("ray_pgn", CRATE / "examples" / "ray_pgn.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ray_pgn"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    # Workers find the example by its folder.
    folder = str(CRATE / "examples")
    environment = {"env_vars": {"PYTHONPATH": folder}}
    ray.init(num_cpus=2, include_dashboard=False, runtime_env=environment, log_to_driver=False)
    yield load_example()
    ray.shutdown()


@pytest.fixture
def games(example: Any, tmp_path: pathlib.Path) -> Any:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    games = example.read_games(str(path))
    assert [len(game) for game in games] == [11, 9, 5, 7, 11]
    return games


def test_a_cluster_finds_what_one_process_finds(example: Any, games: Any) -> None:
    alone = example.analyse_games(games, NODES)
    assert example.analyse_on_cluster(games, NODES, batch=2) == alone


def test_games_of_a_killed_worker_are_done_again(
    example: Any, games: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = example.analyse_games(games, NODES)
    log = tmp_path / "attempts"
    log.touch()
    doomed = games[2]

    def analyse_and_die_once(some: Any, nodes: int) -> Any:
        import ray_pgn

        if doomed in some:
            with log.open("a") as attempts:
                attempts.write(f"{os.getpid()}\n")
            if len(log.read_text().splitlines()) == 1:
                ray_pgn.tabiya.analyse_many(some[0], nodes=nodes)
                os.kill(os.getpid(), signal.SIGKILL)
        return [ray_pgn.tabiya.analyse_many(game, nodes=nodes, threads=1) for game in some]

    monkeypatch.setattr(example, "analyse_games", analyse_and_die_once)
    assert example.analyse_on_cluster(games, NODES, batch=2) == alone
    attempts = log.read_text().split()
    assert len(attempts) == 2 and attempts[0] != attempts[1]
