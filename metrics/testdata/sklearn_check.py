"""Computes metrics of random predictions with scikit-learn and writes them to sklearn.json beside this file, where
TestSklearn compares them with this package. See README.md."""

import json
import pathlib

import numpy as np
import sklearn
from sklearn import metrics

rng = np.random.default_rng(20240501)


def detection(name, positives, negatives, decimals, shift):
    """Scores with ties when decimals is small."""
    pos = np.round(rng.normal(shift, 1, positives), decimals)
    neg = np.round(rng.normal(0, 1, negatives), decimals)
    y = np.r_[np.ones(positives), np.zeros(negatives)]
    s = np.r_[pos, neg]
    precision, recall, _ = metrics.precision_recall_curve(y, s)
    fpr, tpr, _ = metrics.roc_curve(y, s, drop_intermediate=False)
    return {
        "name": name,
        "positive": pos.tolist(),
        "negative": neg.tolist(),
        "auroc": metrics.roc_auc_score(y, s),
        "average_precision": metrics.average_precision_score(y, s),
        "aupr_trapezoid": metrics.auc(recall, precision),
        "fpr95": float(fpr[np.argmax(tpr >= 0.95)]),
    }


def classification(name, rows, classes, scale):
    logits = (scale * rng.normal(size=(rows, classes))).astype(np.float32)
    labels = rng.integers(0, classes, rows)
    labels[:classes] = np.arange(classes)  # scikit-learn wants every class once
    keep = rng.random(rows) < 0.6
    logits[keep, labels[keep]] += 2 * scale
    z = logits.astype(np.float64)
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    correct = p.argmax(1) == labels
    return {
        "name": name,
        "classes": classes,
        "logits": logits.ravel().tolist(),
        "labels": labels.tolist(),
        "error": 1 - metrics.accuracy_score(labels, p.argmax(1)),
        "top3_error": 1 - metrics.top_k_accuracy_score(labels, p, k=3),
        "nll": metrics.log_loss(labels, p, eps=1e-300),
        "brier_binary": metrics.brier_score_loss(correct, p.max(1)),
        # scikit-learn 1.2 has no multiclass Brier score; this is the mean of its binary ones, times the classes.
        "brier": sum(metrics.brier_score_loss(labels == c, p[:, c]) for c in range(classes)),
    }


out = {
    "scikit_learn": sklearn.__version__,
    "detection": [
        detection("plain", 80, 300, 6, 1.0),
        detection("ties", 60, 200, 1, 0.8),
        detection("heavy_ties", 50, 90, 0, 0.5),
        detection("inverted", 20, 40, 3, -2.0),
        detection("few", 3, 4, 2, 0.3),
    ],
    "classification": [classification("ten", 120, 10, 1.5), classification("four", 60, 4, 4.0)],
}
path = pathlib.Path(__file__).with_name("sklearn.json")
path.write_text(json.dumps(out) + "\n")
print("wrote", path, "with scikit-learn", sklearn.__version__)
