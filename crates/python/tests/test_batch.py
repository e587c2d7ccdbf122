"""Many positions at once."""

import pathlib
import pickle

import chess
import numpy
import pytest

import tabiya
from conftest import BACK_RANK, KIWIPETE, MATE_IN_TWO

POSITIONS = ["startpos", KIWIPETE, BACK_RANK, MATE_IN_TWO, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]


def suite(data: pathlib.Path, count: int) -> list[str]:
    lines = (data / "epd" / "wac.epd").read_text().splitlines()
    return [" ".join(line.split()[:4]) + " 0 1" for line in lines[:count]]


def test_evaluations_are_those_of_the_engine(shared_data: pathlib.Path) -> None:
    fens = suite(shared_data, 100)
    engine = tabiya.Engine(hash_mb=1)
    expected = []
    for fen in fens:
        engine.set_position(fen)
        expected.append(engine.evaluate().cp)
    for threads in [1, 2, 5]:
        columns = tabiya.evaluate_many(fens, threads=threads)
        assert list(columns["cp"]) == expected
    arrays = columns.numpy()
    assert arrays["cp"].dtype == numpy.int32
    assert numpy.all(arrays["win"] + arrays["draw"] + arrays["loss"] == 1000)


def test_boards_and_generators_are_positions_too() -> None:
    by_text = tabiya.evaluate_many([chess.STARTING_FEN, KIWIPETE])
    boards = (board for board in [chess.Board(), tabiya.Board(KIWIPETE)])
    assert tabiya.evaluate_many(boards) == by_text
    assert len(tabiya.evaluate_many([])["cp"]) == 0
    assert len(tabiya.evaluate_many(iter(["startpos"] * 70_000))["cp"]) == 70_000


def test_searches_do_not_depend_on_the_threads(shared_data: pathlib.Path) -> None:
    fens = suite(shared_data, 30) + POSITIONS
    one, three = (tabiya.analyse_many(fens, nodes=2000, threads=threads) for threads in (1, 3))
    assert one == three
    assert max(one["nodes"]) <= 2000
    backwards = tabiya.analyse_many(fens[::-1], nodes=2000)
    assert list(backwards["cp"])[::-1] == list(one["cp"])
    assert backwards["pv"][::-1] == one["pv"]


def test_searches_are_those_of_the_engine() -> None:
    columns = tabiya.analyse_many(POSITIONS, depth=5, hash_mb=8)
    for index, fen in enumerate(POSITIONS):
        engine = tabiya.Engine(hash_mb=8)
        engine.set_position(fen)
        analysis = engine.analyse(depth=5)
        assert columns["best_move"][index] == analysis.best_move
        assert columns["cp"][index] == analysis.score.centipawns()
        assert columns["mate"][index] == (analysis.score.mate or 0)
        assert columns["nodes"][index] == analysis.nodes
        assert tuple(columns["pv"][index]) == analysis.pv
    assert columns["best_move"][-1] is None and columns["draw"][-1] == 1000
    assert pickle.loads(pickle.dumps(columns)) == columns
    assert columns.numpy()["mate"].dtype == numpy.int16
    assert columns.numpy()["best_move"] == columns["best_move"]
    assert list(columns) == ["cp", "mate", "win", "draw", "loss", "depth", "nodes", "best_move", "pv"]


def test_a_wrong_position_is_named() -> None:
    fens = ["startpos"] * 70_000
    fens[40_001] = fens[40_007] = "nonsense"
    with pytest.raises(tabiya.FenError, match="position 40001: "):
        tabiya.evaluate_many(fens)
    with pytest.raises(tabiya.FenError, match="position 1: "):
        tabiya.analyse_many(["startpos", "nonsense"], nodes=10)
    with pytest.raises(ValueError, match="list"):
        tabiya.evaluate_many("startpos")
    with pytest.raises(ValueError, match="limit"):
        tabiya.analyse_many(["startpos"])
    with pytest.raises(ValueError, match="threads"):
        tabiya.evaluate_many([], threads=0)
    with pytest.raises(ValueError, match="-1"):
        tabiya.evaluate_many([], threads=-1)
    with pytest.raises(TypeError):
        tabiya.evaluate_many([1])  # type: ignore[list-item]


def test_an_iterator_that_fails_is_heard() -> None:
    def broken():  # type: ignore[no-untyped-def]
        yield "startpos"
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        tabiya.evaluate_many(broken())
