"""The batch."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

__all__ = ["Batch"]


class Batch(tuple):
    """One batch: a tuple of images and labels, and all its arrays by name.

    ``images, labels = batch`` works; with soft labels (mixup, cutmix) the second is ``targets``. The option ``fields`` of
    ``Feed`` chooses others.

    The arrays lie in memory that the child writes again when all of them, and everything made of them without a copy, are
    gone. Whoever keeps a small part of a batch for long keeps all of it: copy the part. In a process that is forked while
    they are in use, they are not valid.

    Attributes:
        epoch: counted from 0.
        number: of the batch in the epoch, counted over this rank's batches.
        views: images of each sample.
    """

    epoch: int
    number: int
    views: int
    _arrays: Dict[str, np.ndarray]

    @classmethod
    def of(cls, arrays: Dict[str, np.ndarray], fields: Optional[Sequence[str]] = None, epoch: int = 0, number: int = 0,
           views: int = 1) -> "Batch":
        """A batch of arrays by name; fields names those that unpacking gives."""
        if fields is None:
            fields = ("images", "targets" if "targets" in arrays else "labels")
        batch = cls(arrays[name] for name in fields)
        batch._arrays, batch.epoch, batch.number, batch.views = arrays, epoch, number, views
        return batch

    @property
    def images(self) -> np.ndarray:
        """[n, 3, H, W] or [n, H, W, 3]; with several views [views, n, …], the clean view first.

        uint8 in 0..255, or normalized floats; bfloat16 as its 16 bits in uint16 (``augmix.torch.tensor`` reads them).
        """
        return self._arrays["images"]

    @property
    def labels(self) -> np.ndarray:
        """Class numbers, int64 [n]; -1 where a sample has none."""
        return self._arrays["labels"]

    @property
    def targets(self) -> Optional[np.ndarray]:
        """Soft labels, float32 [n, classes], with methods that mix labels; else None."""
        return self._arrays.get("targets")

    @property
    def index(self) -> np.ndarray:  # type: ignore[override]
        """Each sample's position in the data set, int64 [n]: the row of your own tables. Where ``split``, ``only``, ``without``,
        ``classes``, or in an evaluation ``limit``, choose samples, positions are counted among these.

        -1 in rows that only fill the last batch (``tail="pad"``): leave these out when you count. (A tuple's method of this name
        is of no use here.)
        """
        return self._arrays["index"]

    @property
    def n(self) -> int:
        """Samples in the batch."""
        return int(self._arrays["index"].shape[0])

    def asdict(self, names: Optional[Mapping[str, str]] = None) -> Dict[str, Any]:
        """The arrays by name; names renames: ``{"images": "pixel_values"}``."""
        names = names or {}
        return {names.get(name, name): array for name, array in self._arrays.items()}
