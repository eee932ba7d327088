"""The robustness of any model: outputs go back to augmix, which scores them."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._binary import Binary
from ._command import data_argument, flags
from ._errors import FeedError, FeedWarning
from ._names import ClassNames, names_file
from ._ranks import cores
from ._session import Event, Session, Settings
from .batch import Batch

__all__ = ["Evaluation", "EvaluationBatch", "Result", "evaluate"]


def _of_a_copy(outputs: Any) -> None:
    raise FeedError("this is a copy of a batch: submit the outputs of the batch itself, which knows its evaluation")


class EvaluationBatch(Batch):
    """A batch of test images in one form: all of one corruption and severity. In suite p the frames of sequences follow each other,
    those of an image together.

    Attributes:
        suite: ``clean``, ``c``, ``cbar``, ``p``, or with ``examples=N`` ``examples``: images that are looked at once more.
        corruption: its name; empty for clean images. For suite p the perturbation.
        severity: up to 5, also between the whole ones; 0 where there is none.
        frames: of suite p, each image's place in its sequence, from 0; empty elsewhere.
        keys: of the samples.
    """

    suite: str
    corruption: str
    severity: float
    frames: Tuple[int, ...]
    keys: Tuple[str, ...]
    _submit: Callable[[Any], None] = staticmethod(_of_a_copy)

    @property
    def labels(self) -> np.ndarray:
        """Class numbers, int64 [n], -1 where a sample has none: places in ``Evaluation.classes``. With ``class_names`` and data of only
        some of the classes these are no columns of the outputs; those that belong to them are
        ``outputs[:, [class_names.index(name) for name in evaluation.classes]]``.
        """
        return super().labels

    def submit(self, outputs: Any) -> None:
        """Hands in the model's outputs for this batch: logits or probabilities, [n, classes].

        Whatever numpy, PyTorch or JAX calls an array will do; it is copied.

        Raises:
            FeedError: another shape, not finite, or handed in already; or this is a copy of the batch.
        """
        self._submit(outputs)

    def __getstate__(self) -> Dict[str, Any]:
        """What a copy has, also one in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_submit"}


@dataclass(frozen=True)
class Result:
    """What was measured.

    Attributes:
        rows: those of ``results.jsonl``, as ``augmix eval`` writes them for the same outputs.
        out: the folder with results and records, and with ``logits=True`` the outputs; empty if none was asked for.
    """

    rows: List[Dict[str, Any]]
    out: str

    def value(self, metric: str, **where: Any) -> float:
        """The value of the one row of a metric: ``value("error", corruption="fog", severity=3)``.

        Raises:
            KeyError: no row is like that, or several.
        """
        found = [r for r in self.rows if r.get("metric") == metric and all(r.get(k) == v for k, v in where.items())]
        if len(found) != 1:
            raise KeyError(f"{len(found)} rows have metric={metric!r}" + "".join(f", {k}={v!r}" for k, v in where.items()))
        return float(found[0]["value"])


class Evaluation:
    """The loop beneath ``evaluate``: batches of test images in all their forms, whose outputs are handed in.

        with Evaluation("imagenet/val", size=256, crop=224, suite="clean,c", out="runs/net") as test:
            for batch in test:
                batch.submit(model(batch.images))
        print(test.result.rows)

    Args:
        data: path of the clean test set, labeled.
        suite: of ``clean``, ``c``, ``cbar``, ``p`` and ``calibration``, which adds calibration errors to the others, separated by
            commas.
        out: folder for results; what it has already is not measured again.
        class_names: names of the model's outputs, in their order: a list, or the path of a file with a name a line. Labels then go by
            name, and the data may have only some of the classes. Without, output k is class k of the data.
        size, crop, batch, dtype, workers, binary, transport, slots, checksum, timeout, options: as for ``Feed``; further options are those of
            ``augmix feed --suite``, such as ``name="resnet50", limit=5000, severity="3", subset="fog,snow", logits=True``.
    """

    def __init__(
        self, data: Any, *, suite: Union[str, Sequence[str]] = "clean,c", out: Any = None, size: Optional[int] = None,
        crop: Any = None, batch: Optional[int] = None, dtype: Optional[str] = "float32", workers: Optional[int] = None,
        binary: Optional[Binary] = None, transport: str = "auto", slots: Optional[int] = None, checksum: bool = False,
        timeout: Optional[float] = 60.0, class_names: ClassNames = None, **options: Any,
    ) -> None:
        if "progress" in options:
            raise FeedError("progress is for a terminal, which the child does not have; evaluate(progress=FUNCTION) calls FUNCTION after "
                            "every batch")
        settings = Settings(binary, transport, slots, checksum, False, timeout)
        settings.check()
        self._result: Optional[Result] = None
        self._open: Optional[int] = None
        with names_file(class_names, out, binary) as file:
            arguments = flags(dict(suite=suite, out=out, size=size, crop=crop, batch=batch, dtype=dtype, class_names=file,
                                   workers=workers if workers is not None else cores(), **options))
            self._session = Session(settings, arguments, data_argument(data))
        self._classes = _number(self._session.hello.raw, "outputs")
        if self._classes < 1:
            self._session.close(now=True)
            raise FeedError("the child's hello does not say how many outputs an evaluation expects")

    @property
    def info(self) -> Mapping[str, Any]:
        """The child's hello, as docs/feed.md lists it."""
        return self._session.hello.raw

    @property
    def classes(self) -> Optional[Tuple[str, ...]]:
        """Names of the classes that labels are numbers of, or None where there are none: those of the data; ``class_names`` where the data
        has as many or names none, or with ``among="model"``.
        """
        return self._session.hello.classes

    @property
    def result(self) -> Result:
        """What was measured.

        Raises:
            FeedError: the loop has not come to its end.
        """
        if self._result is None:
            raise FeedError("the evaluation is not finished: take all batches and submit the outputs of each")
        return self._result

    def empty(self, n: int = 2) -> np.ndarray:
        """Zeros in the shape and dtype of a batch of n images, to try a model with."""
        field = next(f for f in self._session.hello.fields if f.name == "images")
        return field.array(np.zeros(self._session.hello.slot_bytes, np.uint8), min(n, self._session.hello.batch)).copy()

    def check(self, outputs: Any) -> None:
        """Whether outputs for ``empty()`` could be scored.

        Raises:
            FeedError: they are no [n, classes], or the data has another number of classes.
        """
        array = as_outputs(outputs)
        if array.ndim != 2:
            raise FeedError(f"the model's outputs have the shape {list(array.shape)}; [samples, classes] is needed")
        if array.shape[1] != self._classes:
            has = "" if self.classes is None else f", the data has {len(self.classes)} classes"
            raise FeedError(f"the model gives {array.shape[1]} outputs{has}; {self._classes} are expected. class_names=[...] gives the names "
                            f"of the outputs, by which labels go, or classes_count={array.shape[1]} their number where output k is class k")

    def __iter__(self) -> Iterator[EvaluationBatch]:
        return self

    def __next__(self) -> EvaluationBatch:
        if self._open is not None and not self._session.child.closed:
            self.close()
            raise FeedError("the outputs of the batch before were not submitted")
        if self._result is not None:
            raise StopIteration
        self._check_open()
        try:
            event = self._session.event()
            if event.kind == "B":
                return self._batch(event)
            if event.kind == "R":
                event = self._take_result(event)
            if event.kind != "Z" or self._result is None:
                raise FeedError(f"an evaluation sent a message of kind {event.kind!r} out of turn")
        except BaseException:
            self._session.close(now=True)
            raise
        for note in self._session.child.notes():  # such as that the data has some of the model's classes alone
            warnings.warn(note, FeedWarning, stacklevel=2)
        self.close()
        raise StopIteration

    def _take_result(self, event: Event) -> Event:
        """Reads the result, which may be several messages, and returns the one behind it."""
        rows: List[Dict[str, Any]] = []
        while event.kind == "R":
            part = _result(event)
            rows += part.rows
            more = event.body.get("more") is True
            event = self._session.event()
            if not more:
                self._result = Result(rows, part.out)
                return event
        return event

    def _batch(self, event: Event) -> EvaluationBatch:
        said, head = event.body, event.head
        arrays = self._session.arrays(event)
        batch = EvaluationBatch.of(arrays, None, head.epoch, head.batch, self._session.hello.views)
        assert isinstance(batch, EvaluationBatch)
        keys = said.get("keys", [])
        if not isinstance(keys, list) or len(keys) not in (0, head.n):
            raise FeedError(f"a batch of {head.n} samples has {len(keys)} keys")
        batch.suite, batch.corruption = str(said.get("suite", "")), str(said.get("corruption", ""))
        batch.severity = _severity(said)
        batch.keys, batch.frames = tuple(str(key) for key in keys), _frames(said, head.n)
        batch._submit = lambda outputs: self._hand_in(outputs, head.sequence, head.n)
        self._open = head.sequence
        return batch

    def _hand_in(self, outputs: Any, sequence: int, n: int) -> None:
        self._check_open()
        if self._open != sequence:
            raise FeedError("the outputs of this batch were submitted before")
        array = as_outputs(outputs)
        if array.shape != (n, self._classes):
            raise FeedError(f"the outputs have the shape {list(array.shape)} instead of {[n, self._classes]}")
        if not np.isfinite(array).all():
            raise FeedError("the outputs hold values that are not finite")
        self._session.child.send("L", array.reshape(-1).view(np.uint8).data, n, sequence)
        self._open = None

    def _check_open(self) -> None:
        if self._session.child.closed:
            raise FeedError("the evaluation is closed, or of the process that forked this one: begin another, which with the same out "
                            "resumes where this one was")

    def close(self) -> None:
        """Ends the child; what was measured so far lies in ``out``."""
        self._session.close()

    def __enter__(self) -> "Evaluation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _number(said: Mapping[str, Any], name: str) -> int:
    value = said.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise FeedError(f"a batch has the {name} {value!r}")
    return value


def _severity(said: Mapping[str, Any]) -> float:
    value = said.get("severity", 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 5:
        raise FeedError(f"a batch has the severity {value!r}")
    return value


def _frames(said: Mapping[str, Any], n: int) -> Tuple[int, ...]:
    value = said.get("frames", [])
    if not isinstance(value, list) or len(value) not in (0, n) or not all(type(frame) is int for frame in value):
        raise FeedError(f"a batch of {n} samples has frames that are not {n} numbers")
    return tuple(value)


def _result(event: Event) -> Result:
    rows = event.body.get("rows", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FeedError("the child's result has no rows")
    return Result(rows, str(event.body.get("out") or ""))


def as_outputs(outputs: Any) -> np.ndarray:
    """Outputs of any framework as float32, contiguous, little-endian."""
    if hasattr(outputs, "detach"):  # a tensor of PyTorch, on any device
        outputs = outputs.detach().float().cpu().numpy()
    try:
        return np.ascontiguousarray(np.asarray(outputs), dtype="<f4")
    except (TypeError, ValueError) as err:
        raise FeedError(f"the outputs are no array of numbers: {err}") from err


def evaluate(model: Callable[[Any], Any], data: Any, *, suite: Union[str, Sequence[str]] = "clean,c", out: Any = None,
             progress: Optional[Callable[[EvaluationBatch], None]] = None, **options: Any) -> Result:
    """Measures a model on clean, corrupted and perturbed images. Every process that calls it measures all of them: with DDP call it in one,
    with ``model.module``, or with another ``out`` each.

    Args:
        model: takes images (a numpy array, [n, 3, H, W] by default, normalized float32) and returns logits or
            probabilities [n, classes]. A ``torch.nn.Module`` is put into evaluation mode and given tensors on its device; at the end, also by
            an exception, its modules are in the modes that they were in.
        data: path of the clean test set, labeled.
        suite: of ``clean``, ``c``, ``cbar``, ``p`` and ``calibration``, separated by commas.
        out: folder for ``results.jsonl`` and ``records.npz``, which ``augmix report`` reads, and with ``logits=True`` the outputs, which
            ``augmix score`` reads. What it has already is not measured again: the same call resumes. Results of other weights under the same
            name are refused: a ``torch.nn.Module`` is known by a hash of its ``state_dict()``, for another model say ``weights="some
            hash"``. Give other weights another ``name``.
        progress: called after every batch.
        options: those of ``Evaluation``, such as ``name="resnet50", size=256, crop=224, batch=128, mean=(0.485, 0.456, 0.406), std=…``, and
            ``class_names=[...]`` where the data has only some of the model's classes.

    Raises:
        FeedError: the model's outputs do not fit the data, before anything is measured; or whatever augmix refuses.
    """
    if out is not None and options.get("weights") is None:
        weights = _weights(model)
        if weights is not None:
            options["weights"] = weights
    with _evaluating(model) as run, Evaluation(data, suite=suite, out=out, **options) as test:
        test.check(run(test.empty()))
        for batch in test:
            batch.submit(run(batch.images))
            if progress is not None:
                progress(batch)
        return test.result


def _module(model: Callable[[Any], Any]) -> Any:
    """The model where it is PyTorch's, else None. Who has not imported PyTorch has no such model."""
    import sys

    nn = sys.modules.get("torch.nn")
    return model if nn is not None and isinstance(model, nn.Module) else None


def _weights(model: Callable[[Any], Any]) -> Optional[str]:
    module = _module(model)
    if module is None:
        return None
    from .torch import weights_of

    return weights_of(module)


def _evaluating(model: Callable[[Any], Any]) -> ContextManager[Callable[[Any], Any]]:
    module = _module(model)
    if module is None:
        return nullcontext(model)
    from .torch import evaluating

    return evaluating(module)
