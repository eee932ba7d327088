#!/usr/bin/env python3
"""Measures a network of torchvision on ImageNet-C, made on the fly: no image is written.

    python3 examples/evaluate_torchvision.py imagenet/val --model resnet50 --weights DEFAULT --out runs/resnet50

Stopped, it goes on where it was when it is called again. Results lie in --out, where augmix report and augmix score read them.
"""

import argparse
import hashlib

import torch
import torchvision

from augmix import evaluate

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("data")
    p.add_argument("--model", default="resnet18")
    p.add_argument("--weights", help="of torchvision, such as DEFAULT, or a state_dict file; random ones")
    p.add_argument("--suite", default="clean,c,calibration")
    p.add_argument("--subset", default="common", help="corruptions of suite c")
    p.add_argument("--severity", default="1-5")
    p.add_argument("--limit", type=int, help="images, evenly spread: RobustBench takes 5000")
    p.add_argument("--size", type=int, default=256)
    p.add_argument("--crop", type=int, default=224)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--classes", type=int, default=1000, help="outputs of a network with random weights or a state_dict file")
    p.add_argument("--out", help="folder of results")
    args = p.parse_args()

    model = load(args)
    result = evaluate(
        model, args.data, out=args.out, name=args.model, weights=digest(model), suite=args.suite, subset=args.subset, severity=args.severity,
        limit=args.limit, size=args.size, crop=args.crop, batch=args.batch, mean=MEAN, std=STD, progress=Progress())
    for row in result.rows:
        if row["metric"] in ("error", "mce", "ece") and "bin" not in row:
            place = f"{row.get('corruption', '')} {row.get('severity', '')}".strip()
            print(f"{row['dataset']:16} {place or '-':24} {row['metric']:6} {100 * row['value']:6.2f} %")


def load(args):
    """The network."""
    make = getattr(torchvision.models, args.model)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if args.weights and not args.weights.endswith((".pt", ".pth")):
        return make(weights=args.weights).to(device)
    model = make(weights=None, num_classes=args.classes)
    if args.weights:
        model.load_state_dict(torch.load(args.weights, map_location="cpu"))
    return model.to(device)


def digest(model):
    """A hash of the weights, by which results of others under the same name are refused."""
    h = hashlib.sha256()
    for name, t in model.state_dict().items():
        h.update(name.encode() + t.detach().cpu().numpy().tobytes())
    return "sha256:" + h.hexdigest()[:16]


class Progress:
    """Prints which form is at work."""

    last = None

    def __call__(self, batch):
        if (batch.suite, batch.corruption) != self.last:
            self.last = batch.suite, batch.corruption
            print(" ".join(filter(None, self.last)), flush=True)


if __name__ == "__main__":
    main()
