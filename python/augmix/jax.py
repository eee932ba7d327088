"""What is of use with JAX: the consistency loss, and batches on devices."""

from __future__ import annotations

import collections
from typing import Any, Deque, Iterable, Iterator, Optional, Tuple

import numpy as np

import jax
import jax.numpy as jnp

from .batch import Batch

__all__ = ["jsd_loss", "to_device"]


def jsd_loss(logits: Any, labels: Any, views: int, weight: float = 12.0) -> Any:
    """Cross-entropy of the clean view plus the Jensen-Shannon divergence of all views: ``augmix.torch.jsd_loss`` in JAX.

    Args:
        logits: [views * n, classes], the clean view's n first.
        labels: class numbers, int [n], of which -1 counts for nothing; or soft labels [n, classes].
        views: of each sample.
        weight: of the divergence; 12 in the paper.
    """
    if views < 1 or logits.ndim != 2 or logits.shape[0] % views or labels.shape[0] != logits.shape[0] // views:
        raise ValueError(f"logits of shape {list(logits.shape)} and {labels.shape[0]} labels are not those of {views} views")
    n, classes = logits.shape[0] // views, logits.shape[1]
    logits = logits.astype(jnp.float32)
    shifted = logits - logits.max(1, keepdims=True)
    logp = shifted - jnp.log(jnp.exp(shifted).sum(1, keepdims=True))
    if labels.ndim == 1:
        known = labels >= 0
        targets = (labels[:, None] == jnp.arange(classes)[None, :]).astype(jnp.float32)
        loss = -(targets * logp[:n]).sum() / jnp.maximum(known.sum(), 1)
    else:
        loss = -(labels * logp[:n]).sum(1).mean()
    if views == 1 or weight == 0:
        return loss
    logp = logp.reshape(views, n, classes)
    p = jnp.exp(logp)
    log_mean = jnp.log(jnp.clip(p.mean(0), 1e-7, 1.0))
    return loss + weight * (p * (logp - log_mean)).sum(-1).mean()


def to_device(feed: Iterable[Batch], target: Optional[Any] = None, ahead: int = 2,
              names: Optional[Tuple[str, ...]] = None) -> Iterator[Tuple[Any, ...]]:
    """Arrays of one epoch on a device, put there ahead of their use.

    Each batch is copied once on the host first: ``jax.device_put`` may take a numpy array's memory for its own on a CPU, and may
    return before it has read it elsewhere.

    Args:
        feed: of batches with their arrays, that is a ``Feed``.
        target: a device or a sharding; the default device without it.
        ahead: batches that are put before they are asked for. They count as handed out.
        names: of the arrays; by default what unpacking the batch gives. bfloat16 comes as its bits in uint16:
            ``jax.lax.bitcast_convert_type(x, jax.numpy.bfloat16)``.
    """
    queue: Deque[Tuple[Any, ...]] = collections.deque()
    for batch in feed:
        arrays = tuple(batch) if names is None else tuple(batch.asdict()[name] for name in names)
        queue.append(tuple(jax.device_put(np.array(a), target) for a in arrays))
        del batch, arrays
        if len(queue) > ahead:
            yield queue.popleft()
    while queue:
        yield queue.popleft()
