"""The engine: searches, live analysis, evaluation, options, and what must not happen."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import chess
import pytest

import tabiya
from tabiya import _tabiya
from conftest import BACK_RANK, KIWIPETE, MATE_IN_TWO


def engine_at(fen: str, **settings: int) -> tabiya.Engine:
    engine = tabiya.Engine(hash_mb=settings.pop("hash_mb", 8), **settings)
    engine.set_position(fen)
    return engine


def test_the_best_move_mates() -> None:
    engine = engine_at(BACK_RANK)
    assert engine.best_move(depth=4) == "a1a8"
    assert engine.best_move(nodes=2000) == "a1a8"
    assert engine.best_move(time=0.05) == "a1a8"


def test_the_names_of_guides_are_the_same_methods() -> None:
    assert tabiya.Engine.get_best_move is tabiya.Engine.best_move
    assert tabiya.Engine.analyze_position is tabiya.Engine.analyse
    assert engine_at(BACK_RANK).get_best_move(depth=4) == "a1a8"


def test_an_analysis_tells_everything() -> None:
    analysis = engine_at(MATE_IN_TWO).analyse(depth=10)
    assert analysis.best_move in ("a2a7", "b1b7") and analysis.score.mate == 2
    assert analysis.san[0] in ("Ra7", "Rb7") and analysis.san[-1] in ("Rb8#", "Ra8#")
    assert analysis.ponder == analysis.pv[1]
    assert str(analysis.score) == "#2" and analysis.score.cp is None
    assert analysis.score.centipawns() == 99_998
    assert analysis.score.wdl == tabiya.Wdl(1000, 0, 0)
    assert analysis.depth == 10 and analysis.nodes > 0
    assert pickle.loads(pickle.dumps(analysis)) == analysis


def test_several_lines_are_ranked() -> None:
    analysis = engine_at(KIWIPETE).analyse(depth=5, multipv=3)
    assert [line.multipv for line in analysis.lines] == [1, 2, 3]
    scores = [line.score.centipawns() for line in analysis.lines]
    assert scores == sorted(scores, reverse=True)
    assert len({line.pv[0] for line in analysis.lines}) == 3
    assert analysis.lines[0].pv[0] == analysis.best_move
    board = chess.Board(KIWIPETE)
    for uci, san in zip(analysis.lines[0].pv, analysis.lines[0].san):
        assert board.san(chess.Move.from_uci(uci)) == san
        board.push_uci(uci)


def test_one_thread_is_reproducible() -> None:
    first, second = (engine_at(KIWIPETE).analyse(nodes=20_000) for _ in range(2))
    assert (first.pv, first.score, first.nodes) == (second.pv, second.score, second.nodes)


def test_root_moves_restrict_the_search() -> None:
    engine = engine_at(BACK_RANK)
    assert engine.best_move(depth=3, root_moves=["g1f1"]) == "g1f1"
    with pytest.raises(tabiya.UciMoveError):
        engine.best_move(depth=3, root_moves=["a1h8"])


def test_a_python_chess_board_brings_its_history() -> None:
    board = chess.Board()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"]:
        board.push_uci(move)
    engine = tabiya.Engine(hash_mb=1)
    engine.set_position(board)
    assert engine.fen == board.fen()
    assert tabiya.Board.from_chess(board).move_stack == ["g1f3", "g8f6", "f3g1", "f6g8"]
    board.push(chess.Move.null())
    engine.set_position(board)
    assert engine.fen == board.fen()
    engine.set_position("startpos", ["e2e4", "e7e5"])
    assert engine.fen == tabiya.parse_pgn("1. e4 e5 *").__next__().fens()[-1]
    engine.set_position(tabiya.Board(BACK_RANK), ["a1a8"])
    assert engine.best_move(depth=1) is None
    mated = engine.analyse(depth=1)
    assert (mated.best_move, mated.score.mate, mated.lines) == (None, 0, ())
    assert mated.score.wdl.loss == 1000


def test_live_analysis_can_be_stopped() -> None:
    engine = engine_at(KIWIPETE)
    with engine.analyse_live() as live:
        for line in live:
            assert line.pv
            if line.depth >= 5:
                live.stop()
        best = live.best_move()
    assert best in tabiya.legal_moves(KIWIPETE)
    assert list(live) == []
    depths = [line.depth for line in engine.analyse_live(depth=4)]
    assert depths == sorted(depths) and depths[-1] == 4


def test_another_search_ends_a_live_one() -> None:
    engine = engine_at(KIWIPETE)
    live = engine.analyse_live()
    assert engine.best_move(depth=2)
    assert live.best_move()


def test_another_thread_can_stop_a_search() -> None:
    engine = engine_at(KIWIPETE)
    answers: list[str | None] = []
    thread = threading.Thread(target=lambda: answers.append(engine.best_move(nodes=10**12)))
    thread.start()
    while thread.is_alive():
        engine.stop()
        time.sleep(0.01)
    assert answers[0] in tabiya.legal_moves(KIWIPETE)


def test_python_threads_run_during_a_search() -> None:
    engine = engine_at(KIWIPETE)
    live = engine.analyse_live(time=0.3)
    counted = 0
    thread = threading.Thread(target=lambda: list(live))
    thread.start()
    while thread.is_alive():
        counted += 1
    assert counted > 1000


def test_evaluation_is_told_for_the_side_to_move_and_explained() -> None:
    queen_up = "4k3/8/8/8/8/8/8/3QK3 {} - - 0 1"
    white, black = (engine_at(queen_up.format(side)).evaluate() for side in "wb")
    assert white.cp is not None and white.cp > 300 and white.turn
    assert black.cp is not None and black.cp < -300 and not black.turn
    assert black.white().cp == -black.cp and black.black() == black
    assert sum([white.wdl.win, white.wdl.draw, white.wdl.loss]) == 1000
    explanation = engine_at(KIWIPETE).evaluate(explain=True)
    assert explanation.score == engine_at(KIWIPETE).evaluate()
    assert any(term.name.startswith("king") for term in explanation.terms)
    assert explanation.pieces["f3"] > explanation.pieces["e5"] > explanation.pieces["a2"]
    assert "worth of each piece" in explanation.text


def test_options_are_checked() -> None:
    engine = tabiya.Engine(threads=2, hash_mb=4, options={"Move Overhead": 5, "UCI_Chess960": True})
    assert (engine.threads, engine.hash_mb) == (2, 4)
    engine.set_option("Use NNUE", False)
    assert engine.evaluation == "classical evaluation"
    engine.set_option("Hash", 2)
    assert engine.hash_mb == 2
    engine.new_game()
    for wrong in [{"Nonsense": 1}, {"Hash": "many"}, {"Threads": 0}]:
        with pytest.raises(tabiya.OptionError):
            tabiya.Engine(options=wrong)  # type: ignore[arg-type]
    for wrong_number in [-1, 0, 10**30]:
        with pytest.raises(tabiya.OptionError, match="Hash"):
            tabiya.Engine(hash_mb=wrong_number)
        with pytest.raises(tabiya.OptionError, match="Threads"):
            tabiya.Engine(threads=wrong_number)
    with pytest.raises(TypeError):
        tabiya.Engine(threads="many")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        engine.set_option("Hash", 1.5)  # type: ignore[arg-type]
    with pytest.raises(tabiya.NetError, match="test_engine.py"):
        tabiya.Engine(net=__file__)
    with pytest.raises(tabiya.NetError, match="no/such/net"):
        tabiya.Engine(net="no/such/net")
    assert repr(engine).startswith("Engine(threads=2, hash_mb=2, fen='rnbq")


def test_limits_are_checked() -> None:
    engine = engine_at(BACK_RANK)
    out_of_range = [{"depth": 0}, {"depth": -1}, {"nodes": 0}, {"nodes": 10**30}]
    for wrong in [{}, *out_of_range, {"time": -1.0}, {"time": float("nan")}]:
        with pytest.raises(ValueError):
            engine.best_move(**wrong)  # type: ignore[arg-type]
    with pytest.raises(tabiya.OptionError, match="MultiPV"):
        engine.analyse(depth=1, multipv=0)
    with pytest.raises(tabiya.OptionError, match="MultiPV"):
        engine.analyse(depth=1, multipv=-1)
    with pytest.raises(tabiya.FenError):
        engine.set_position("nonsense")
    assert engine.fen == BACK_RANK


def test_a_panic_is_an_exception() -> None:
    with pytest.raises(tabiya.EngineError, match="internal error: on purpose"):
        _tabiya._fail_on_purpose("on purpose")
    assert engine_at(BACK_RANK).best_move(depth=2) == "a1a8"


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
@pytest.mark.parametrize(
    "call",
    [
        "tabiya.Engine().best_move(nodes=10**12)",
        "list(tabiya.Engine().analyse_live())",
        "tabiya.analyse_many(['startpos'] * 3, nodes=10**12)",
        "tabiya.evaluate_many(itertools.repeat('startpos'))",
        "tabiya.perft('startpos', 12)",
    ],
)
def test_ctrl_c_works(call: str) -> None:
    program = f"""
        import itertools, tabiya
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted")
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert (output, process.returncode) == ("interrupted\n", 0)
