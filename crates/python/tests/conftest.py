"""Where things lie, and what the tests share."""

from __future__ import annotations

import os
import pathlib

import pytest

CRATE = pathlib.Path(__file__).resolve().parent.parent
PROJECT = CRATE.parent.parent

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
PGN = """
1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1/2-1/2

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 1-0

1. f3 e5 2. g4 Qh4# 0-1

1. c4 c5 2. Nc3 Nc6 3. g3 g6 *

1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *
"""


@pytest.fixture
def shared_data() -> pathlib.Path:
    """The folder of test data, named by TABIYA_TEST_DATA; a test that needs it is skipped without."""
    folder = os.environ.get("TABIYA_TEST_DATA")
    if not folder:
        pytest.skip("TABIYA_TEST_DATA names no folder of test data")
    path = pathlib.Path(folder)
    assert path.is_dir(), f"TABIYA_TEST_DATA: no folder {path}"
    return path
