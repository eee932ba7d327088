"""What is of use with PyTorch: the consistency loss, batches on a device, a model as a function of arrays."""

from __future__ import annotations

import collections
import contextlib
import hashlib
import re
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np
import torch
import torch.nn.functional as F

from .batch import Batch

__all__ = ["evaluating", "jsd_loss", "predictor", "tensor", "to_device", "weights_of"]


def jsd_loss(logits: torch.Tensor, labels: torch.Tensor, views: int, weight: float = 12.0) -> torch.Tensor:
    """Cross-entropy of the clean view plus the Jensen-Shannon divergence of all views (AugMix, section 3).

    The mean of the views' distributions is clipped to [1e-7, 1] before its logarithm, as in the paper's code.

    Args:
        logits: [views * n, classes], the clean view's n first: ``model(images.flatten(0, 1))`` of images [views, n, …].
        labels: class numbers, int64 [n], of which -1 counts for nothing; or soft labels [n, classes].
        views: of each sample. With 1 this is the cross-entropy.
        weight: of the divergence; 12 in the paper.

    Returns:
        The loss, averaged over samples; computed in float32, also under autocast.
    """
    if views < 1 or logits.dim() != 2 or logits.shape[0] % views:
        raise ValueError(f"logits of shape {list(logits.shape)} are not those of {views} views")
    n = logits.shape[0] // views
    if labels.shape[0] != n:
        raise ValueError(f"{labels.shape[0]} labels for {n} samples: logits have the shape {list(logits.shape)}, views is {views}")
    logits = logits.float()
    loss = _cross_entropy(logits[:n], labels)
    if views == 1 or weight == 0:
        return loss
    logp = F.log_softmax(logits, 1).view(views, n, -1)
    p = logp.exp()
    log_mean = p.mean(0).clamp(1e-7, 1).log()
    return loss + weight * (p * (logp - log_mean)).sum(-1).mean()


def _cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    if labels.dim() == 2:
        return -(labels.float() * F.log_softmax(logits, 1)).sum(1).mean()
    known = (labels >= 0).sum().clamp(min=1)
    return F.cross_entropy(logits, labels, ignore_index=-1, reduction="sum") / known


def tensor(array: np.ndarray, bfloat16: bool = False) -> torch.Tensor:
    """A tensor over the array's memory, without a copy: it holds the batch's slot as the array does.

    Args:
        array: of a batch.
        bfloat16: the array holds the 16 bits of bfloat16 (``Feed(dtype="bfloat16")``), in uint16.
    """
    if bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_device(feed: Iterable[Batch], device: Any, ahead: int = 2, names: Optional[Tuple[str, ...]] = None,
              ) -> Iterator[Tuple[torch.Tensor, ...]]:
    """Tensors of one epoch on a device, copied while the step before runs.

    With CUDA a batch is copied into pinned memory of PyTorch's own, from there on a stream of its own to the device, and
    its slot is given back at once. Pinning the ring itself (cudaHostRegister) would save that one copy, but PyTorch's
    allocator does not know memory that others pinned: it cannot tell when a transfer has read it, and the next batch would be
    written over one that is on its way. On a CPU the tensors lie over the slots, without a copy.

    Batches that are ahead count as handed out: save ``feed.state_dict()`` at the end of an epoch, or give ``ahead=0``, which
    copies one batch at a time.

    Args:
        feed: of batches with their arrays, that is a ``Feed``.
        device: as ``torch.device`` takes it.
        ahead: batches that are copied before they are asked for.
        names: of the arrays; by default what unpacking the batch gives.
    """
    device = torch.device(device)
    bfloat16 = _is_bfloat16(feed)
    if device.type != "cuda":
        for batch in feed:
            yield tuple(t.to(device) for t in _tensors(batch, names, bfloat16))
        return
    yield from _prefetch(feed, device, ahead, names, bfloat16)


def _prefetch(feed: Iterable[Batch], device: torch.device, ahead: int, names: Optional[Tuple[str, ...]],
              bfloat16: bool) -> Iterator[Tuple[torch.Tensor, ...]]:
    cuda: Any = torch.cuda  # which has no types in earlier versions
    stream = cuda.Stream(device)
    queue: Deque[Tuple[List[torch.Tensor], Any]] = collections.deque()

    def ready() -> Tuple[torch.Tensor, ...]:
        tensors, copied = queue.popleft()
        current = cuda.current_stream(device)
        current.wait_event(copied)
        for t in tensors:
            t.record_stream(current)  # so that its memory is not given to another batch before this stream is done
        return tuple(tensors)

    for batch in feed:
        # pin_memory copies into a block of PyTorch's caching allocator, which is not used again before the transfer is over.
        pinned = [t.pin_memory() for t in _tensors(batch, names, bfloat16)]
        del batch
        with cuda.stream(stream):
            moved = [t.to(device, non_blocking=True) for t in pinned]
            copied = stream.record_event()
        queue.append((moved, copied))
        if len(queue) > ahead:
            yield ready()
    while queue:
        yield ready()


def _tensors(batch: Batch, names: Optional[Tuple[str, ...]], bfloat16: bool) -> List[torch.Tensor]:
    arrays = batch if names is None else tuple(batch.asdict()[name] for name in names)
    return [tensor(a, bfloat16 and a.dtype == np.uint16) for a in arrays]


def _is_bfloat16(feed: Any) -> bool:
    fields: List[Dict[str, Any]] = getattr(feed, "info", {}).get("fields", [])
    return any(f["name"] == "images" and f["dtype"] == "bfloat16" for f in fields)


def predictor(model: torch.nn.Module) -> Callable[[np.ndarray], torch.Tensor]:
    """The model as a function from images (numpy) to outputs: evaluation mode, no gradients, on the model's device. Images of
    uint16 are the bits of bfloat16.

    The model stays in evaluation mode.
    """
    model.eval()
    first = next(iter(model.parameters()), None)
    device = first.device if first is not None else torch.device("cpu")

    def run(images: np.ndarray) -> torch.Tensor:
        with torch.no_grad():  # not inference_mode: what the model keeps of a call, such as lazy weights, must be fit for training
            out: torch.Tensor = model(tensor(images, images.dtype == np.uint16).to(device))
            return out

    return run


@contextlib.contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[Callable[[np.ndarray], torch.Tensor]]:
    """A ``predictor`` for the length of a ``with``, behind which each module of the model is in the mode that it was in before."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        yield predictor(model)
    finally:
        model.train(modes[0][1])  # a module's own train() may do more than set its mode
        for module, training in modes:
            module.training = training


_WRAPPERS = re.compile(r"^(module\.|_orig_mod\.)+")
"""What the wrappers of a model put in front of the names of its weights."""


def weights_of(model: torch.nn.Module) -> Optional[str]:
    """A hash of the model's weights, by which results of other weights under the same name are told from its own. It is the same for a
    model in DataParallel, DistributedDataParallel or torch.compile. None where a weight has no plain bytes, as quantized ones have none.
    """
    digest = hashlib.sha256()
    try:
        for name, value in model.state_dict().items():
            if isinstance(value, torch.Tensor):
                name = _WRAPPERS.sub("", name)
                plain = value.detach().cpu().contiguous()
                digest.update(f"{name} {plain.dtype} {list(plain.shape)}\n".encode())
                digest.update(plain.reshape(-1).view(torch.uint8).numpy().tobytes())
    except (NotImplementedError, RuntimeError, TypeError, ValueError):
        return None
    return "sha256:" + digest.hexdigest()[:16]
