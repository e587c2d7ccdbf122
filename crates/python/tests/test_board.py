"""The rules, compared with python-chess where it knows better than we do."""

import copy
import pathlib
import pickle
import random

import chess
import pytest

import tabiya
from conftest import KIWIPETE


def test_perft_counts_are_the_known_ones(shared_data: pathlib.Path) -> None:
    for line in (shared_data / "perft" / "standard.epd").read_text().splitlines()[:40]:
        fen, *counts = [part.strip() for part in line.split(";")]
        for count in counts:
            depth, leaves = count.split()
            if int(leaves) <= 100_000:
                assert tabiya.perft(fen, int(depth[1:])) == int(leaves), (fen, depth)


def test_divide_adds_up() -> None:
    board = tabiya.Board(KIWIPETE)
    counts = board.divide(3)
    assert sum(leaves for _, leaves in counts) == board.perft(3) == 97_862
    assert [move for move, _ in counts] == board.legal_moves


def test_random_games_agree_with_python_chess() -> None:
    rng = random.Random(1)
    for game in range(20):
        theirs = chess.Board()
        ours = tabiya.Board()
        while not theirs.is_game_over() and theirs.ply() < 150:
            moves = [move.uci() for move in theirs.legal_moves]
            assert sorted(ours.legal_moves) == sorted(moves)
            move = chess.Move.from_uci(rng.choice(moves))
            assert ours.san(move.uci()) == theirs.san(move)
            assert ours.parse_san(theirs.san(move)) == move.uci()
            theirs.push(move)
            ours.push(move.uci())
            assert ours.fen() == theirs.fen()
            assert ours.turn == theirs.turn
            assert ours.is_check() == theirs.is_check()
        assert ours.is_checkmate() == theirs.is_checkmate()
        assert ours.is_stalemate() == theirs.is_stalemate()
        assert ours.is_insufficient_material() == theirs.is_insufficient_material()
        assert ours.move_stack == [move.uci() for move in theirs.move_stack], game


def test_moves_are_taken_back() -> None:
    board = tabiya.Board()
    assert board.push_san("e4") == "e2e4"
    assert board.piece_at("e4") == "P" and board.piece_at("e2") is None
    assert board.pop() == "e2e4"
    assert board == tabiya.Board()
    with pytest.raises(IndexError):
        board.pop()


def test_a_repetition_is_an_outcome_that_must_be_claimed() -> None:
    board = tabiya.Board()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
        assert board.outcome() is None
        board.push(move)
    outcome = board.outcome()
    assert outcome == tabiya.Outcome(None, "threefold repetition", "1/2-1/2", True)
    assert not board.is_game_over()


def test_copies_and_pickles_keep_the_history() -> None:
    board = tabiya.Board()
    for san in ["e4", "e5", "Nf3"]:
        board.push_san(san)
    for twin in [board.copy(), copy.deepcopy(board), pickle.loads(pickle.dumps(board))]:
        assert twin == board and hash(twin) == hash(board)
        assert twin.move_stack == ["e2e4", "e7e5", "g1f3"]
        twin.pop()
        assert twin != board
    assert {board: 1}[board.copy()] == 1
    assert repr(board).startswith("Board('rnbqkbnr/pppp1ppp/")
    assert str(board).splitlines()[4] == ". . . . P . . ."


def test_chess960_castles_by_taking_the_rook() -> None:
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    board = tabiya.Board(fen, chess960=True)
    theirs = chess.Board(fen, chess960=True)
    assert sorted(board.legal_moves) == sorted(move.uci() for move in theirs.legal_moves)
    assert tabiya.Board.from_chess(theirs).chess960
    assert board.shredder_fen().split()[2] == "HFhf"


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(tabiya.FenError, match="castling: white may castle king-side but no rook"):
        tabiya.Board("4k3/8/8/8/8/8/8/4K3 w K - 0 1")
    with pytest.raises(ValueError):
        tabiya.Board("nonsense")
    with pytest.raises(tabiya.UciMoveError, match="e2e5"):
        tabiya.Board().push("e2e5")
    with pytest.raises(tabiya.SanError, match="Ke3"):
        tabiya.Board().push_san("Ke3")
    with pytest.raises(TypeError, match="chess.Board"):
        tabiya.perft(17, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="depth"):
        tabiya.perft("startpos", 1_000_000)
    with pytest.raises(ValueError, match="square"):
        tabiya.Board().piece_at("z9")
    assert issubclass(tabiya.SanError, tabiya.TabiyaError)
    assert not tabiya.Board().is_legal("e2e5")


PGN = """[White "Anna"]
[Black "Boris"]

1. e4 {best by test} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0

[White "Broken"]

1. e4 e5 2. Ke3 *
"""


def test_games_are_read_from_text_and_files(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "two.pgn"
    path.write_text(PGN)
    for reader in [tabiya.parse_pgn(PGN), tabiya.read_pgn(path)]:
        first, second = reader
        assert first.tags == {"White": "Anna", "Black": "Boris"}
        assert first.moves == ["e2e4", "e7e5", "g1f3", "b8c6"]
        assert first.san == ["e4", "e5", "Nf3", "Nc6"]
        assert first.comments[0] == "best by test"
        assert first.result == "1-0" and first.error is None
        assert len(first.fens()) == 5 and first.fens()[0] == first.start
        assert first.board().fen() == first.fens()[-1]
        assert first.board().move_stack == first.moves
        assert "(1... c5 2. Nf3)" in str(first)
        first.check()
        assert second.moves == ["e2e4", "e7e5"]
        with pytest.raises(tabiya.PgnError, match="no legal move is Ke3"):
            second.check()
    with pytest.raises(FileNotFoundError, match="missing.pgn"):
        tabiya.read_pgn("missing.pgn")
