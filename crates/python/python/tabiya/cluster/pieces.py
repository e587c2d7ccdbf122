"""Work in pieces: dealt to the cluster, kept as they are finished, handed out in their order."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from .. import __version__
from ..errors import ClusterError
from .connection import cpus, ray
from .program import Done, Files, failure, run_piece

RETRIES = 10
"""How often a piece is begun again because its worker or machine died."""
AHEAD = 2
"""Pieces given to the cluster at once, for each of its cores."""


@dataclass(frozen=True)
class Job:
    """Work cut into pieces."""

    command: Callable[[int], Sequence[str]]
    """The arguments of the program for a piece, counted from 0."""
    outputs: Sequence[str]
    """The files that the program leaves."""
    files: Files
    """The files that it needs."""
    is_last: Callable[[int, Done], bool]
    """Whether a piece is the last one, once it is done."""
    count: int | None = None
    """The number of pieces, if it is known before."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What decides the result beside the command and the files."""

    def fingerprint(self) -> dict[str, Any]:
        """What must not change when the job is resumed."""
        files = {name: hashlib.sha256(content).hexdigest() for name, (content, _) in self.files.items()}
        first = list(self.command(0))
        return {"tabiya": __version__, "command": first, "files": files, **self.settings}


class Store:
    """Finished pieces in a folder: whole or not there. One driver at a time."""

    def __init__(self, folder: pathlib.Path, fingerprint: dict[str, Any], resume: bool) -> None:
        if folder.exists() and not resume:
            raise ClusterError(f"{folder} holds an unfinished run: resume it or remove the folder")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ClusterError(f"{folder} is in use by another run") from error
        settings = folder / "settings.json"
        if settings.exists():
            found = json.loads(settings.read_text())
            if found != fingerprint:
                other = next(name for name in fingerprint if found.get(name) != fingerprint[name])
                raise ClusterError(f"{folder} was begun with another {other}")
        else:
            replace(settings, json.dumps(fingerprint, indent=1).encode())

    def save(self, number: int, done: Done) -> None:
        for index, content in enumerate(done.outputs):
            replace(self.folder / f"{number}.{index}", content)
        note = {"said": done.said, "code": done.code, "outputs": len(done.outputs)}
        # The piece counts from here on.
        replace(self.folder / f"{number}.json", json.dumps(note).encode())

    def load(self, number: int) -> Done | None:
        try:
            note = json.loads((self.folder / f"{number}.json").read_text())
        except FileNotFoundError:
            return None
        outputs = [(self.folder / f"{number}.{index}").read_bytes() for index in range(note["outputs"])]
        return Done(tuple(outputs), note["said"], note["code"])

    def close(self, finished: bool) -> None:
        if finished:
            shutil.rmtree(self.folder)
        self._lock.close()


def replace(path: pathlib.Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all, also after a crash."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


@contextlib.contextmanager
def pieces_of(
    job: Job, folder: pathlib.Path, resume: bool, progress: Progress
) -> Iterator[Iterator[Done]]:
    """The pieces of a job in their order, as they become known.

    Whoever leaves the block is done with the job: the folder of its pieces is removed. Whatever throws
    them out of it leaves the folder for another run.
    """
    store = Store(folder, job.fingerprint(), resume)
    finished = False
    try:
        with contextlib.closing(_run(job, store, progress)) as pieces:
            yield pieces
        finished = True
    finally:
        progress.end()
        store.close(finished)


def _run(job: Job, store: Store, progress: Progress) -> Generator[Done, None, None]:
    package = ray()
    task = package.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(run_piece)
    files = package.put(dict(job.files))
    pending: dict[Any, int] = {}
    known: dict[int, Done] = {}
    given = taken = 0
    finished = False
    try:
        while not finished:
            while len(pending) < AHEAD * cpus() and (job.count is None or given < job.count):
                done = store.load(given)
                if done is None:
                    reference = task.remote(list(job.command(given)), files, list(job.outputs))
                    pending[reference] = given
                else:
                    known[given] = done
                given += 1
                if taken in known:
                    break
            if taken in known:
                done = known.pop(taken)
                finished = job.is_last(taken, done)
                taken += 1
                progress.show(taken, job.count)
                yield done
                continue
            ready, _ = package.wait(list(pending), num_returns=1)
            for reference in ready:
                number = pending.pop(reference)
                done = package.get(reference)
                if done.code != 0:
                    raise failure(done.said, done.code)
                store.save(number, done)
                known[number] = done
    finally:
        for reference in pending:
            with contextlib.suppress(Exception):
                package.cancel(reference, force=True)


class Progress:
    """One line on standard error: renewed in a terminal, now and then elsewhere."""

    def __init__(self, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._start = time.monotonic()
        self._last = 0.0
        self._shown = False

    def show(self, pieces: int, count: int | None) -> None:
        """So many pieces of so many are known."""
        now = time.monotonic()
        terminal = self._stream.isatty()
        if self._quiet or now - self._last < (1 if terminal else 30):
            return
        self._last = now
        elapsed = now - self._start
        text = f"{pieces}/{count} pieces" if count else f"{pieces} pieces"
        text += f", {60 * pieces / max(elapsed, 1e-3):.1f}/min, {elapsed:.0f} s"
        if count:
            text += f", about {elapsed / pieces * (count - pieces):.0f} s left"
        self._shown = terminal
        self._stream.write(f"\r\033[K{text}" if terminal else f"{text}\n")
        self._stream.flush()

    def end(self) -> None:
        """Removes the line."""
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
