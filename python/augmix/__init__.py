"""Augmented batches for any training loop, and the robustness of any model, by the program augmix.

    from augmix import Feed

    with Feed("photos/train", mix="augmix-m1-w3-d-1", crop="rrc:224", flip=True, views=3, batch=256, seed=1) as feed:
        for epoch in range(90):
            for images, labels in feed:
                ...

``Feed`` makes batches for training, ``evaluate`` measures a model on corrupted and perturbed images; ``augmix.torch`` and
``augmix.jax`` have what is of use with these frameworks. Only numpy is needed.
"""

from ._errors import FeedError, FeedTimeout, FeedWarning
from ._version import __version__
from .batch import Batch
from .evaluation import Evaluation, EvaluationBatch, evaluate
from .feed import Feed

__all__ = ["Batch", "Evaluation", "EvaluationBatch", "Feed", "FeedError", "FeedTimeout", "FeedWarning", "__version__", "evaluate"]
