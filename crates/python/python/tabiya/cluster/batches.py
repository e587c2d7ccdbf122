"""Many positions: columns computed on many machines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _tabiya
from ..columns import Columns
from .connection import connect

RETRIES = 10


def evaluate_many(
    positions: Iterable[Any],
    *,
    piece: int = 20_000,
    address: str | None = None,
    **settings: Any,
) -> Columns:
    """`tabiya.evaluate_many` on all cores of the cluster: the same columns."""
    return _spread(_tabiya.evaluate_many, positions, piece, address, settings)


def analyse_many(
    positions: Iterable[Any],
    *,
    piece: int = 200,
    address: str | None = None,
    **settings: Any,
) -> Columns:
    """`tabiya.analyse_many` on all cores of the cluster: the same columns, but for times."""
    return _spread(_tabiya.analyse_many, positions, piece, address, settings)


def _spread(
    function: Any, positions: Iterable[Any], piece: int, address: str | None, settings: dict[str, Any]
) -> Columns:
    package = connect(address)
    task = package.remote(num_cpus=1, max_retries=RETRIES)(_piece)
    all_of_them = list(positions)
    name = function.__name__
    pending = [
        task.remote(name, all_of_them[start : start + piece], settings)
        for start in range(0, max(1, len(all_of_them)), piece)
    ]
    try:
        return Columns.joined(package.get(pending))
    except package.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, Exception) else error) from None


def _piece(name: str, positions: list[Any], settings: dict[str, Any]) -> Columns:
    columns: Columns = getattr(_tabiya, name)(positions, threads=1, **settings)
    return columns
