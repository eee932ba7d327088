"""Which part of each epoch is this process's, and how many cores are."""

from __future__ import annotations

import os
import sys
from typing import Mapping, Optional, Tuple

from ._errors import FeedError

__all__ = ["place", "cores"]

# SLURM_NTASKS is also set in the shell of an allocation, where one process runs: only a step of srun has the first.
_VARIABLES = (
    ("RANK", "WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
)
# torchrun leaves every process all cores; the others may have bound each to its own, which shows in its affinity.
_LOCAL = (("LOCAL_WORLD_SIZE", False), ("SLURM_STEP_TASKS_PER_NODE", True), ("OMPI_COMM_WORLD_LOCAL_SIZE", True))


def distributed() -> Optional[Tuple[int, int]]:
    """Rank and world size of ``torch.distributed`` where it is imported and initialized."""
    dist = sys.modules.get("torch.distributed")
    if dist is None or not dist.is_available() or not dist.is_initialized():
        return None
    return int(dist.get_rank()), int(dist.get_world_size())


def place(rank: Optional[int] = None, world_size: Optional[int] = None,
          env: Optional[Mapping[str, str]] = None) -> Tuple[int, int]:
    """Rank and world size: the arguments, else torch.distributed, else RANK and WORLD_SIZE (torchrun), the variables of a
    step of SLURM, those of Open MPI, else (0, 1).

    Raises:
        FeedError: one of two is missing, or rank is not below world size.
    """
    source = "rank and world_size"
    if rank is None and world_size is None:
        found = distributed()
        if found is not None:
            return found
        rank, world_size, source = _from(os.environ if env is None else env)
    if rank is None or world_size is None:
        raise FeedError(f"{source}: one is given, the other is not")
    if not 0 <= rank < world_size:
        raise FeedError(f"{source}: rank {rank} of {world_size}; ranks count from 0")
    return rank, world_size


def _from(env: Mapping[str, str]) -> Tuple[int, int, str]:
    for rank, world_size in _VARIABLES:
        if env.get(rank) and env.get(world_size):
            try:
                return int(env[rank]), int(env[world_size]), f"the variables {rank} and {world_size}"
            except ValueError:
                raise FeedError(f"the variables {rank} and {world_size} are {env[rank]!r} and {env[world_size]!r}") from None
    return 0, 1, "the default"


def cores(env: Optional[Mapping[str, str]] = None) -> Optional[int]:
    """This process's share of the machine's cores where several trainers run on it, else None (the child takes all)."""
    env = os.environ if env is None else env
    for name, binds in _LOCAL:
        value = env.get(name, "").split("(")[0]  # SLURM writes 4(x2) for four tasks on each of two nodes
        if value.isdigit() and int(value) > 1:
            have, all_ = _affinity(), os.cpu_count() or 1
            return have if binds and have < all_ else max(1, have // int(value))
    return None


def _affinity() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1
