"""Results of many positions: named columns over plain memory, NumPy or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Column = memoryview | list[Any]


class Columns(Mapping[str, Column]):
    """Columns of equal length by name.

    Numbers are `memoryview`s, which index, slice and iterate like sequences and which
    `numpy.asarray`, `torch.frombuffer` or `pyarrow.py_buffer` take without copying. Texts are lists.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[tuple[str, str | None, Any, int | None]]) -> None:
        # Name, type letter (none for a list), content, and the width of a table's rows.
        self._parts = {name: tuple(rest) for name, *rest in parts}

    def __getitem__(self, name: str) -> Column:
        letter, content, width = self._parts[name]
        if letter is None:
            values: list[Any] = content
            return values
        numbers = memoryview(content)
        if width is None:
            return numbers.cast(letter)
        rows = len(content) // (memoryview(b"").cast(letter).itemsize * width)
        return numbers.cast(letter, (rows, width)) if rows else numbers.cast(letter)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def numpy(self) -> dict[str, Any]:
        """Numbers as arrays, which share the memory of this object; lists as they are."""
        import numpy

        return {
            name: numpy.asarray(column) if isinstance(column, memoryview) else column
            for name, column in self.items()
        }

    @classmethod
    def joined(cls, columns: Sequence[Columns]) -> Columns:
        """The rows of several results, one after the other."""
        if not columns:
            return cls([])
        parts = []
        for name, (letter, _, width) in columns[0]._parts.items():
            pieces = [piece._parts[name][1] for piece in columns]
            whole = b"".join(pieces) if letter else [row for piece in pieces for row in piece]
            parts.append((name, letter, whole, width))
        return cls(parts)

    def __eq__(self, other: object) -> bool:
        return self._parts == other._parts if isinstance(other, Columns) else NotImplemented

    def __repr__(self) -> str:
        return f"Columns({', '.join(self)})"

    def __getstate__(self) -> list[tuple[Any, ...]]:
        return [(name, *rest) for name, rest in self._parts.items()]

    def __setstate__(self, state: list[tuple[Any, ...]]) -> None:
        self._parts = {name: tuple(rest) for name, *rest in state}
