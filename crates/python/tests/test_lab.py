"""The lab's files."""

import pathlib
from typing import Any

import numpy
import pytest

import tabiya
from tabiya import lab

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GAMES = f"{START}|1|e2e4 30 e7e5 -20 g1f3 25\n{START}|=|d2d4 10\n"
POSITIONS = (
    f"{START} | 35 | 0.5\n"
    "4k3/8/8/8/8/8/8/3QK3 b - - 0 40 | 900 | 1.0\n"
)


def test_games_are_read_back(tmp_path: pathlib.Path) -> None:
    text, record = tmp_path / "games.txt", tmp_path / "games.rec"
    text.write_text(GAMES)
    assert lab.import_text("games", [text], record, description="by hand") == (2, 4)
    reader = lab.read_games(record)
    assert reader.header == lab.RecordHeader("centipawns", "by hand")
    first, second = reader
    assert first.moves == ("e2e4", "e7e5", "g1f3") and first.scores == (30, -20, 25)
    assert (first.start, first.result, second.result) == (START, "1-0", "1/2-1/2")


def test_positions_become_arrays(tmp_path: pathlib.Path) -> None:
    text, record = tmp_path / "positions.txt", tmp_path / "positions.rec"
    text.write_text(POSITIONS)
    lab.import_text("positions", [text], record)
    reader = lab.read_positions(record)
    assert reader.features == 768
    (block,) = (columns.numpy() for columns in reader)
    assert block["score"].tolist() == [35, -900]
    assert block["result"].tolist() == [0.5, 0.0]
    assert block["white_to_move"].tolist() == [1, 0]
    assert block["pieces"].tolist() == [32, 3]
    assert block["own_features"].shape == block["other_features"].shape == (2, 32)
    # Both sides see the same from the start.
    assert sorted(block["own_features"][0]) == sorted(block["other_features"][0])
    # Black's own king is on e8, seen on d1: 64 * 5 + 3.
    assert sorted(block["own_features"][1])[:3] == [323, 384 + 64 * 4 + 60, 384 + 64 * 5 + 59]
    assert (block["own_features"][1] == 768).sum() == 29


def test_damage_is_reported(tmp_path: pathlib.Path) -> None:
    broken = tmp_path / "broken.rec"
    broken.write_bytes(b"not a record file, but long enough to have a header")
    with pytest.raises(tabiya.RecordError, match="broken.rec"):
        lab.read_games(broken)
    with pytest.raises(FileNotFoundError):
        lab.read_positions(tmp_path / "missing.rec")
    text = tmp_path / "bad.txt"
    text.write_text(f"{START}|1|e2e5 30\n")
    with pytest.raises(tabiya.RecordError, match="line 1"):
        lab.import_text("games", [text], tmp_path / "out.rec")
    with pytest.raises(ValueError, match="king"):
        lab.read_positions(broken, king_buckets=3)


SHAPE = {"hidden": 128, "king_buckets": 4, "output_buckets": 8}


def random_weights() -> dict[str, Any]:
    rng = numpy.random.default_rng(1)

    def layer(shape: Any, kind: Any) -> Any:
        return rng.integers(-60, 60, shape, dtype=kind)

    return {
        "ft_weights": layer((4 * 768, 128), numpy.int16),
        "ft_bias": layer(128, numpy.int16),
        "output_weights": layer((8, 256), numpy.int16),
        "output_bias": layer(8, numpy.int32),
    }


def test_networks_go_out_and_in(tmp_path: pathlib.Path) -> None:
    net, twin = tmp_path / "random.nnue", tmp_path / "twin.nnue"
    weights = random_weights()
    lab.write_network(net, **SHAPE, **weights, provenance="dice")
    info = lab.network_info(net)
    assert (info.hidden, info.king_buckets, info.output_buckets) == (128, 4, 8)
    assert info.parameters == sum(layer.size for layer in weights.values())
    assert info.provenance == "dice"
    found = lab.read_weights(net).numpy()
    assert all(numpy.array_equal(found[name], weights[name]) for name in weights)
    lab.write_network(twin, **SHAPE, **found, provenance="dice")
    assert lab.network_info(twin) == info
    fens = [START, "4k3/8/8/8/8/8/8/3QK3 b - - 0 40"]
    assert tabiya.evaluate_many(fens, net=twin) == tabiya.evaluate_many(fens, net=net)
    assert tabiya.evaluate_many(fens, net=net) != tabiya.evaluate_many(fens, classical=True)
    assert info.checksum in tabiya.Engine(hash_mb=1, net=net).evaluation
    weights["ft_bias"] = numpy.zeros(3, dtype=numpy.int16)
    with pytest.raises(tabiya.NetError, match="hidden biases"):
        lab.write_network(twin, **SHAPE, **weights, provenance="")


def test_a_fresh_network_of_zeros_plays(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "zero.nnue"
    zeros = {
        "ft_weights": numpy.zeros((768, 128), dtype=numpy.int16),
        "ft_bias": numpy.zeros(128, dtype=numpy.int16),
        "output_weights": numpy.zeros((1, 256), dtype=numpy.int16),
        "output_bias": numpy.zeros(1, dtype=numpy.int32),
    }
    lab.write_network(path, hidden=128, king_buckets=1, output_buckets=1, **zeros, provenance="0")
    engine = tabiya.Engine(hash_mb=1, net=path)
    engine.set_position(START)
    assert engine.evaluate().cp == 0
    assert engine.best_move(depth=3) is not None


TINY: dict[str, Any] = {
    "generations": 1,
    "shape": "768x1-128s-1x1",
    "nodes": 5,
    "games": 8,
    "epochs": 1,
    "gate_games": 2,
    "gate_nodes": 5,
    "yardstick_games": 2,
}


def test_a_generation_is_learnt_and_told(tmp_path: pathlib.Path) -> None:
    folder, told, notes = tmp_path / "run", [], []
    done = lab.learn(folder, **TINY, on_generation=told.append, on_note=notes.append)
    assert (done.generations, done.complete) == (1, True)
    assert told[0]["plan"]["games"] == 8
    assert notes[0].startswith("generation 1: 8 games of random weights")
    if done.net is not None:
        assert lab.network_info(done.net).checksum == told[0]["net"]
    with pytest.raises(tabiya.LearnError, match="holds a run already"):
        lab.learn(folder, **TINY)
    with pytest.raises(ValueError, match="hours above 0 or generations"):
        lab.learn(folder)


def test_what_a_callback_raises_ends_the_run(tmp_path: pathlib.Path) -> None:
    def refuse(_: object) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        lab.learn(tmp_path / "run", **TINY, on_plan=refuse)
    assert lab.learn(tmp_path / "run", **TINY, resume=True).complete
