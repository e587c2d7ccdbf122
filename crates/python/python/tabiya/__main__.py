"""The program `tabiya`: `python -m tabiya bench` is `tabiya bench`."""

from __future__ import annotations

import signal
import sys

from ._tabiya import run_program


def main() -> None:
    """Runs the program with the arguments of this process."""
    # The program has its own ideas about Ctrl-C; until it has told them, Ctrl-C ends it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_program(["tabiya", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
