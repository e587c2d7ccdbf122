"""Running the program on a piece, in a folder of its own."""

from __future__ import annotations

import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import ClusterError

Files = Mapping[str, tuple[bytes, int]]
"""What a piece reads: content and mode by relative name."""


@dataclass(frozen=True)
class Done:
    """What the program made of a piece."""

    outputs: tuple[bytes, ...]
    said: str
    code: int


def run_piece(command: Sequence[str], files: Files, outputs: Sequence[str]) -> Done:
    """Runs the program in an empty folder with these files. A failure leaves its words and its code."""
    with tempfile.TemporaryDirectory(prefix="tabiya-piece-") as name:
        folder = pathlib.Path(name)
        lay_out(files, folder)
        done = run(command, folder)
        if done.returncode != 0:
            return Done((), done.stderr, done.returncode)
        made = tuple((folder / output).read_bytes() for output in outputs)
        return Done(made, done.stdout + done.stderr, done.returncode)


def lay_out(files: Files, folder: pathlib.Path) -> None:
    """Writes files to a folder."""
    for relative, (content, mode) in files.items():
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)


def run(command: Sequence[str], folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """The program of this package as a process."""
    return subprocess.run(
        [sys.executable, "-m", "tabiya", *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )


def failure(said: str, code: int) -> ClusterError:
    """Why the program did not do what it was asked for."""
    lines = said.strip().splitlines() or [f"exit code {code}"]
    return ClusterError(lines[-1].removeprefix("tabiya: ").removeprefix("error: "))


def _end_with_parent() -> None:
    """A worker that is killed must not leave a program that works for nobody."""
    parent_death = 1
    ctypes.CDLL(None).prctl(parent_death, signal.SIGKILL)


def travelling(arguments: Sequence[str]) -> dict[str, tuple[bytes, int]]:
    """The files that arguments name by a relative path, also behind `=` in the words of a player."""
    found = {}
    for argument in arguments:
        for word in [argument, *argument.split()]:
            name = word.split("=", 1)[-1]
            path = pathlib.PurePath(name)
            if name and not path.is_absolute() and ".." not in path.parts and os.path.isfile(name):
                found[path.as_posix()] = read(name)
    return found


def read(path: str | os.PathLike[str]) -> tuple[bytes, int]:
    """Content and mode of a file."""
    try:
        return pathlib.Path(path).read_bytes(), os.stat(path).st_mode & 0o777
    except OSError as error:
        raise ClusterError(f"{os.fspath(path)}: {error.strerror}") from error
