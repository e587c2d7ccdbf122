"""Tabiya on many machines, with Ray: analysis, data, labels and matches.

>>> import tabiya.cluster
>>> tabiya.cluster.generate("self.games", games=100_000, nodes=5000, address="auto")

Every function takes the settings of the program's command of the same meaning and gives the same result:
work is cut into pieces that depend on the settings and their number only, each piece is done by the
program inside this package, and the pieces are joined in their order. A piece whose worker or machine
dies is done again. Finished pieces are kept in a folder beside the output until all are there, so that
a killed driver goes on with `resume=True`. What the pieces read travels with them: files named by a
relative path, games and openings wherever they lie. Anything else has to be on every machine.

On the command line: `python -m tabiya.cluster annotate games.pgn --address auto`.
"""

from .batches import analyse_many, evaluate_many
from .games import analyse_pgn, annotate_pgn
from .matches import MatchResult, match, sprt
from .records import generate, label

__all__ = [
    "MatchResult",
    "analyse_many",
    "analyse_pgn",
    "annotate_pgn",
    "evaluate_many",
    "generate",
    "label",
    "match",
    "sprt",
]
