#!/usr/bin/env python3
"""Trains a Wide ResNet-40-2 with AugMix and the consistency loss, as in the AugMix paper, on CIFAR files or any other small images.

    python3 examples/pytorch_cifar.py cifar-10-batches-bin --out runs/augmix

Stopped, the same command resumes behind the last whole epoch, with the same batches that it would have had.
Needs PyTorch 1.13 or later and augmix (docs/pytorch.md).
"""

import argparse
import os

import torch
import torch.nn.functional as F
from torch import nn

from augmix import Feed
from augmix.torch import jsd_loss, to_device

MEAN = STD = (0.5, 0.5, 0.5)


class Block(nn.Module):
    """Two 3x3 convolutions, each after batch norm and ReLU, and a shortcut."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(channels), nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn2, self.conv2 = nn.BatchNorm2d(out), nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(channels, out, 1, stride, bias=False) if channels != out or stride != 1 else None

    def forward(self, x):
        y = F.relu(self.bn1(x))
        x = x if self.shortcut is None else self.shortcut(y)
        return x + self.conv2(F.relu(self.bn2(self.conv1(y))))


def wide_resnet(depth, width, classes):
    """WRN-depth-width for images [n, 3, 32, 32]."""
    layers, channels = [nn.Conv2d(3, 16, 3, 1, 1, bias=False)], 16
    for stage in range(3):
        for i in range((depth - 4) // 6):
            layers.append(Block(channels, 16 * width << stage, 2 if stage and i == 0 else 1))
            channels = 16 * width << stage
    layers += [nn.BatchNorm2d(channels), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]
    return nn.Sequential(*layers)


def normalize(images):
    """Batches come as bytes, a quarter of the memory of floats; this runs on the device."""
    mean, std = (torch.tensor(v, device=images.device).view(3, 1, 1) for v in (MEAN, STD))
    return (images.float() / 255 - mean) / std


def train(model, feed, optimizer, schedule, scaler, device, args):
    """One epoch; returns the mean loss."""
    model.train()
    total = steps = 0
    for images, labels in to_device(feed, device):
        with torch.autocast(device.type, enabled=device.type == "cuda"):
            logits = model(normalize(images).flatten(0, 1))  # [views * n, classes], the clean view first
        loss = jsd_loss(logits, labels, args.views)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        total, steps = total + loss.item(), steps + 1
    return total / max(steps, 1)


@torch.no_grad()
def error(model, data, split, device, batch):
    """The error in percent on a test set."""
    model.eval()
    wrong = count = 0
    with Feed(data, split=split, shuffle=False, tail="short", epochs=1, batch=batch, rank=0, world_size=1) as feed:
        for images, labels in to_device(feed, device):
            wrong += (model(normalize(images)).argmax(1) != labels).sum().item()
            count += len(labels)
    return 100 * wrong / count


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("data")
    p.add_argument("--test", help="test set (default: the test part of a CIFAR set)")
    p.add_argument("--out", required=True)
    p.add_argument("--mix", default="augmix-m3-w3-d-1")
    p.add_argument("--views", type=int, default=3)
    p.add_argument("--crop", default="pad4:32")
    p.add_argument("--depth", type=int, default=40)
    p.add_argument("--epochs", type=int, default=100)
    p.add_argument("--stop", type=int, help="end behind this epoch; the learning rate still falls over --epochs")
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = p.parse_args()

    torch.manual_seed(args.seed)
    device = torch.device(args.device)
    os.makedirs(args.out, exist_ok=True)
    last = os.path.join(args.out, "last.pt")
    split = None if args.test else "train" if os.path.exists(args.data) else None
    with Feed(args.data, split=split, mix=args.mix, views=args.views, crop=args.crop, flip=True, batch=args.batch, seed=args.seed) as feed:
        classes = len(feed.classes) if feed.classes else 10
        model = wide_resnet(args.depth, 2, classes).to(device)
        optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=5e-4, nesterov=True)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(feed), 1e-6)
        scaler = torch.cuda.amp.GradScaler(enabled=device.type == "cuda")
        parts = {"model": model, "optimizer": optimizer, "schedule": schedule, "scaler": scaler, "feed": feed}
        if os.path.exists(last):
            saved = torch.load(last, map_location=device)
            for name, part in parts.items():
                part.load_state_dict(saved[name])
            print(f"resumes at epoch {feed.epoch}")
        for epoch in range(feed.epoch, min(args.epochs, args.stop or args.epochs)):
            loss = train(model, feed, optimizer, schedule, scaler, device, args)
            torch.save({name: part.state_dict() for name, part in parts.items()}, last + ".tmp")
            os.replace(last + ".tmp", last)
            test = error(model, args.test or args.data, None if args.test else "test", device, args.batch)
            print(f"epoch {epoch}  loss {loss:.4f}  test error {test:.2f} %", flush=True)


if __name__ == "__main__":
    main()
