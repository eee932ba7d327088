#!/usr/bin/env python3
"""Measures a network of torchvision on the corruptions of ImageNet-C, made on the fly: no file is written.

    python3 examples/evaluate_torchvision.py imagenet/val --model resnet50 --weights DEFAULT

Each image is decoded once for all its forms. The corruptions have the bytes that augmix corrupt gives before it writes JPEG files;
the published files went through JPEG, so errors differ a little from those on them.
"""

import argparse
import collections

import torch
import torchvision

from augmix import Feed
from augmix.torch import predictor, tensor

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("data")
    p.add_argument("--model", default="resnet50")
    p.add_argument("--weights", help="of torchvision, such as DEFAULT, or a state_dict file")
    p.add_argument("--corrupt", default="common")
    p.add_argument("--severity", default="1-5")
    p.add_argument("--size", type=int, default=256)
    p.add_argument("--crop", type=int, default=224)
    p.add_argument("--batch", type=int, default=16)
    args = p.parse_args()

    with Feed(args.data, corrupt=args.corrupt, severity=args.severity, size=args.size, crop=args.crop, dtype="float32", mean=MEAN,
              std=STD, batch=args.batch, shuffle=False, tail="short", epochs=1, rank=0, world_size=1) as feed:
        run = predictor(load(args, len(feed.classes or range(10))))
        wrong, count = collections.Counter(), 0
        for batch in feed:
            labels = tensor(batch.labels)
            for form, images in zip(feed.forms, batch.images):  # [n, 3, H, W] each
                wrong[form["name"], form["severity"]] += int((run(images).cpu().argmax(1) != labels).sum())
            count += batch.n
        names = list(dict.fromkeys(form["name"] for form in feed.forms))
        for name in names:
            errors = [100 * n / count for (other, _), n in sorted(wrong.items()) if other == name]
            print(f"{name:20} {sum(errors) / len(errors):6.2f} %   " + " ".join(f"{e:6.2f}" for e in errors))
        print(f"mean error over {len(names)} corruptions, {count} images: {100 * sum(wrong.values()) / len(wrong) / count:.2f} %")


def load(args, classes):
    """The network, with the data's number of classes."""
    make = getattr(torchvision.models, args.model)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if args.weights and args.weights.endswith((".pt", ".pth")):
        model = make(weights=None, num_classes=classes)
        model.load_state_dict(torch.load(args.weights, map_location=device))
    else:
        model = make(weights=args.weights, **({} if args.weights else {"num_classes": classes}))
    return model.to(device)


if __name__ == "__main__":
    main()
