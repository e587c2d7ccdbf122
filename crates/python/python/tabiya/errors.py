"""What can go wrong; every message is that of the Rust library."""


class TabiyaError(Exception):
    """The base of all exceptions of this package."""


class FenError(TabiyaError, ValueError):
    """Text that is no legal position."""


class SanError(TabiyaError, ValueError):
    """Algebraic notation that means no legal move."""


class UciMoveError(TabiyaError, ValueError):
    """Coordinates that mean no legal move."""


class PgnError(TabiyaError, ValueError):
    """A game that could not be read to its end."""


class OptionError(TabiyaError, ValueError):
    """An option that is unknown or cannot have this value."""


class NetError(TabiyaError, ValueError):
    """A file that is no network, or weights that cannot be one."""


class RecordError(TabiyaError, ValueError):
    """A damaged file of games or positions."""


class LearnError(TabiyaError, RuntimeError):
    """A run of `lab.learn` that cannot begin or go on."""


class EngineError(TabiyaError, RuntimeError):
    """The engine failed: out of memory, out of threads, or a bug."""


class ClusterError(TabiyaError, RuntimeError):
    """Work on a cluster that cannot be done, with the reason that the program gave."""
