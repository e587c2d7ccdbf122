"""The command line: `python -m tabiya.cluster COMMAND ...`."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence

from ..errors import ClusterError
from . import games, matches, records
from .connection import connect

EXAMPLES = """\
Examples:
  python -m tabiya.cluster annotate games.pgn --output out.pgn --nodes 20000 --address auto
  python -m tabiya.cluster generate --out self.games --games 100000 --nodes 5000 --address auto
  python -m tabiya.cluster label self.games --out deep.games --nodes 20000 --address auto
  python -m tabiya.cluster match --engine "self name=new evalfile=a.nnue" --engine "self name=old" \\
      --nodes 5000 --rounds 20000 --openings book.epd --sprt 0 5 --journal run.jsonl --address auto

Everything that is not listed by `--help` of a command goes to the command of the program: `annotate`,
`datagen play`, `label` and `match` of `tabiya`; the file to read is named before such settings.
Without --address the cores of this machine are used.
Exit codes are those of the program: 3 and 4 for a test that accepted H0 or is undecided."""


def parser() -> argparse.ArgumentParser:
    """What this program understands itself."""
    top = argparse.ArgumentParser(
        prog="python -m tabiya.cluster",
        description="Analysis, data and matches on a Ray cluster.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = top.add_subparsers(dest="command", required=True)

    def add(name: str, text: str, piece: int, unit: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.add_argument("--address", help="the cluster, `auto` to find it; else this machine")
        command.add_argument("--workers", type=int, help="cores to use without --address")
        command.add_argument("--piece", type=_positive, default=piece, help=f"{unit} of a piece")
        command.add_argument("--resume", action="store_true", help="continue an unfinished run")
        command.add_argument("--no-progress", action="store_true", help="say only the result")
        return command

    annotate = add("annotate", "Annotate the games of a PGN file.", games.GAMES, "games")
    annotate.add_argument("games", help="the PGN file")
    annotate.add_argument("--output", type=pathlib.Path, help="the annotated games")
    annotate.add_argument("--json", type=pathlib.Path, help="one object per line and game")
    annotate.add_argument("--force", action="store_true", help="replace outputs that are there")

    generate = add("generate", "Play training games.", records.GAMES, "games")
    generate.add_argument("--out", type=pathlib.Path, required=True, help="the file of games")
    generate.add_argument("--games", type=_positive, required=True, help="games in it")

    label = add("label", "Give games or positions new scores.", records.GROUPS, "games or 64 positions")
    label.add_argument("input", help="games, positions, PGN, EPD or FEN")
    label.add_argument("--out", type=pathlib.Path, required=True, help="the file to write")

    match = add("match", "Play games between engines, with --sprt a test.", matches.ROUNDS, "rounds")
    match.add_argument("--rounds", type=_positive, default=50, help="pairs of games per pairing")
    for form in ("journal", "pgn", "json"):
        match.add_argument(f"--{form}", type=pathlib.Path, help=f"the {form} file, as of tabiya match")
    return top


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def main(words: Sequence[str] | None = None) -> int:
    """Does what the words say and returns the exit code."""
    own, rest = parser().parse_known_args(words)
    rest = [word for word in rest if word != "--"]
    run = (own.piece, own.resume)
    try:
        connect(own.address, own.workers)
        if own.command == "annotate":
            forms = {"output": own.output, "json": own.json}
            wanted = {form: path for form, path in forms.items() if path}
            piece, resume = run
            count = games.annotate(
                own.games, wanted, rest, piece, resume, own.force, None, own.no_progress
            )
            print(f"{count} games annotated")
        elif own.command == "generate":
            how = records.How(*run, quiet=own.no_progress)
            count = records.play(own.out, own.games, rest, how)
            print(f"{own.out}: {count} games")
        elif own.command == "label":
            how = records.How(*run, quiet=own.no_progress)
            count = records.relabel(own.input, own.out, rest, how)
            print(f"{own.out}: {count} records")
        else:
            forms = {"journal": own.journal, "pgn": own.pgn, "json": own.json}
            wanted = {form: path for form, path in forms.items() if path}
            result = matches.play(rest, own.rounds, wanted, *run, None, own.no_progress)
            print(result.report, end="")
            return {"H0": 3, "undecided": 4}.get(result.conclusion, 0)
    except ClusterError as error:
        print(f"tabiya: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; --resume goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
