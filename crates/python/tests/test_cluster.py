"""Work on a real local cluster of two nodes: the same results as on one machine, whatever dies."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tabiya
from conftest import PGN
from tabiya import cluster

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

PLAYERS = ["self name=more nodes=600", "self name=less nodes=60"]
OPENINGS = """\
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 2
rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
"""
MATCH: dict[str, Any] = {
    "openings": "openings.epd",
    "max_moves": 40,
    "resign": "600:3",
    "each": "option.Hash=4",
}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pgn").write_text(PGN)
    (tmp_path / "openings.epd").write_text(OPENINGS)
    return tmp_path


def program(*words: str, codes: tuple[int, ...] = (0,)) -> str:
    """What the program says on one machine."""
    done = subprocess.run([sys.executable, "-m", "tabiya", *words], capture_output=True, text=True)
    assert done.returncode in codes, done.stderr
    return done.stdout


def games_of(path: str) -> list[Any]:
    return list(tabiya.lab.read_games(path))


def journal_of(path: str) -> list[Any]:
    """Settings, then what was played: times differ from run to run."""
    rows = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    unsteady = ("times", "crc32", "pgn")
    return [{key: row[key] for key in row if key not in unsteady} for row in rows]


def test_annotated_games_are_those_of_one_machine(nodes: Cluster, folder: pathlib.Path) -> None:
    program("annotate", "games.pgn", "--nodes", "300", "--output", "a.pgn", "--json", "a.jsonl")
    count = cluster.annotate_pgn(
        folder / "games.pgn", output="b.pgn", json="b.jsonl", nodes=300, piece=2
    )
    assert count == 5
    for form in ("pgn", "jsonl"):
        assert (folder / f"b.{form}").read_bytes() == (folder / f"a.{form}").read_bytes()
    assert not list(folder.glob("*.pieces"))
    found = cluster.analyse_pgn("games.pgn", nodes=300, piece=5)
    assert found == [json.loads(line) for line in (folder / "a.jsonl").read_text().splitlines()]


def test_columns_are_those_of_one_process(nodes: Cluster) -> None:
    fens = [fen for game in tabiya.parse_pgn(PGN) for fen in game.fens()]
    assert cluster.evaluate_many(fens, piece=7) == tabiya.evaluate_many(fens)
    assert cluster.analyse_many(fens, nodes=100, piece=7) == tabiya.analyse_many(fens, nodes=100)
    with pytest.raises(tabiya.FenError):
        cluster.evaluate_many(["nonsense"])


def test_generated_games_are_those_of_one_machine(nodes: Cluster, folder: pathlib.Path) -> None:
    settings = ["--nodes", "100", "--seed", "3", "--dfrc", "0.3"]
    program("datagen", "play", "--out", "a.games", "--games", "11", "--threads", "1", *settings)
    count = cluster.generate("b.games", games=11, piece=4, nodes=100, seed=3, dfrc=0.3)
    assert count == 11
    assert games_of("b.games") == games_of("a.games")
    one, many = (tabiya.lab.read_games(name).header for name in ("a.games", "b.games"))
    assert one == many
    # The program goes on with the joined file.
    program("datagen", "play", "--out", "b.games", "--games", "12", "--resume", *settings)
    assert games_of("b.games")[:11] == games_of("a.games") and len(games_of("b.games")) == 12

    program("label", "a.games", "--out", "a.pos", "--to", "positions", "--nodes", "50", "--sample", "0.5")
    records = cluster.label("a.games", "b.pos", to="positions", nodes=50, sample=0.5, piece=3)
    program("datagen", "export", "a.pos", "--format", "text", "--out", "a.txt")
    program("datagen", "export", "b.pos", "--format", "text", "--out", "b.txt")
    text = (folder / "a.txt").read_text()
    assert (folder / "b.txt").read_text() == text and len(text.splitlines()) == records > 100


def test_a_match_is_that_of_one_machine(nodes: Cluster, folder: pathlib.Path) -> None:
    words = [word for spec in PLAYERS for word in ("--engine", spec)]
    for name, value in MATCH.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    files = ["--journal", "a.jsonl", "--pgn", "a.pgn", "--json", "a.json"]
    program("match", *words, "--rounds", "5", "--quiet", *files)
    result = cluster.match(
        PLAYERS, rounds=5, piece=2, journal="b.jsonl", pgn="b.pgn", json="b.json", **MATCH
    )
    assert result.conclusion == "complete" and result.summary["games"] == 10
    assert journal_of("b.jsonl") == journal_of("a.jsonl")
    moves = re.compile(r"\{[^}]*\}")
    assert moves.sub("", (folder / "b.pgn").read_text()) == moves.sub("", (folder / "a.pgn").read_text())
    assert json.loads((folder / "b.json").read_text()) == result.summary


def test_a_test_is_decided_by_the_game_that_decides_it_on_one_machine(
    nodes: Cluster, folder: pathlib.Path
) -> None:
    words = [word for spec in PLAYERS for word in ("--engine", spec)]
    for name, value in MATCH.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    test = ["--sprt", "0", "200", "--rounds", "60", "--quiet"]
    program("match", *words, *test, "--journal", "a.jsonl", codes=(0, 3))
    result = cluster.sprt(PLAYERS, 0, 200, rounds=60, piece=3, journal="b.jsonl", **MATCH)
    assert result.conclusion in ("H1", "H0")
    assert journal_of("b.jsonl") == journal_of("a.jsonl")
    assert 2 < len(journal_of("b.jsonl")) < 120
    assert not list(folder.glob("*.pieces"))


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("nothing happened for two minutes")


def finished(folder: pathlib.Path) -> int:
    return len(list(folder.glob("b.games.pieces/[0-9]*.json")))


GENERATE: dict[str, Any] = {"games": 12, "piece": 1, "nodes": 300, "seed": 9}


@pytest.fixture
def expected(folder: pathlib.Path) -> list[Any]:
    settings = ["--nodes", "300", "--seed", "9", "--threads", "2"]
    program("datagen", "play", "--out", "a.games", "--games", "12", *settings)
    return games_of("a.games")


def test_games_of_a_killed_worker_are_played_again(
    nodes: Cluster, folder: pathlib.Path, expected: list[Any]
) -> None:
    killed = []

    def kill_a_worker() -> None:
        until(lambda: finished(folder) > 0)
        # The parents of the programs that play are the workers.
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if b"part.games" in words and parent not in killed:
                os.kill(parent, signal.SIGKILL)
                killed.append(parent)
                return

    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    assert cluster.generate("b.games", **GENERATE) == 12
    killer.join()
    assert len(killed) == 1
    assert games_of("b.games") == expected


def test_games_of_a_removed_node_are_played_elsewhere(
    nodes: Cluster, folder: pathlib.Path, expected: list[Any]
) -> None:
    doomed = nodes.add_node(num_cpus=2)
    nodes.wait_for_nodes()
    removed = []

    def remove_the_node() -> None:
        until(lambda: finished(folder) > 0)
        nodes.remove_node(doomed, allow_graceful=False)
        removed.append(finished(folder))

    remover = threading.Thread(target=remove_the_node)
    remover.start()
    assert cluster.generate("b.games", **GENERATE) == 12
    remover.join()
    assert len(removed) == 1 and removed[0] < 12
    assert games_of("b.games") == expected


def test_a_killed_driver_is_resumed(
    nodes: Cluster, folder: pathlib.Path, expected: list[Any]
) -> None:
    words = ["generate", "--out", "b.games", "--address", nodes.address, "--games", "12"]
    words += ["--piece", "1", "--nodes", "300", "--seed", "9"]
    driver = subprocess.Popen(
        [sys.executable, "-m", "tabiya.cluster", *words], stdout=subprocess.DEVNULL
    )
    until(lambda: finished(folder) >= 2)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert finished(folder) < 12 and not (folder / "b.games").exists()
    # What is there is kept: the files of finished pieces are not written again.
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("b.games.pieces/[0-9]*.0")}
    seen: dict[pathlib.Path, int] = {}

    def watch() -> None:
        while folder.joinpath("b.games.pieces").exists():
            for path in kept:
                try:
                    seen[path] = path.stat().st_mtime_ns
                except OSError:
                    return

    with pytest.raises(tabiya.ClusterError, match="unfinished run"):
        cluster.generate("b.games", **GENERATE)
    with pytest.raises(tabiya.ClusterError, match="another command"):
        cluster.generate("b.games", **{**GENERATE, "seed": 10}, resume=True)
    watcher = threading.Thread(target=watch)
    watcher.start()
    assert cluster.generate("b.games", **GENERATE, resume=True) == 12
    watcher.join()
    assert games_of("b.games") == expected
    assert seen == kept
    assert not list(folder.glob("*.pieces"))


def test_wrong_wishes_are_refused_in_one_line(nodes: Cluster, folder: pathlib.Path) -> None:
    def refused(*words: str) -> str:
        command = [sys.executable, "-m", "tabiya.cluster", *words, "--address", nodes.address]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2, done.stderr
        return done.stderr.splitlines()[-1]

    line = refused("annotate", "no.pgn", "--output", "x.pgn")
    assert line == "tabiya: no.pgn: No such file or directory"
    assert "name an output" in refused("annotate", "games.pgn")
    assert "two players" in refused("match", "--engine", "self nodes=5")
    assert "no/such/net" in refused(
        "generate", "--out", "x.games", "--games", "2", "--evalfile", "no/such/net"
    )
    assert refused("generate", "--out", "games.pgn", "--games", "2").endswith("exists already")
