"""The cluster this process talks to."""

from __future__ import annotations

from typing import Any

from ..errors import ClusterError


def ray() -> Any:
    """The package Ray, which is needed for nothing else."""
    try:
        import ray
    except ImportError as error:
        raise ClusterError("tabiya.cluster needs Ray: pip install 'tabiya[cluster]'") from error
    return ray


def connect(address: str | None = None, workers: int | None = None) -> Any:
    """Joins the cluster at an address (`auto` finds one), or starts one on this machine.

    A process that has joined a cluster before stays there.
    """
    package = ray()
    if not package.is_initialized():
        local = {} if address else {"num_cpus": workers}
        try:
            package.init(
                address=address or "local",
                include_dashboard=False,
                log_to_driver=False,
                logging_level="warning",
                **local,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ClusterError(f"cluster {address or 'on this machine'}: {error}") from error
    return package


def cpus() -> int:
    """The cores of the cluster at this moment."""
    return max(1, int(ray().cluster_resources().get("CPU", 1)))
