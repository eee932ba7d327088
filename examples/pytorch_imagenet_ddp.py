#!/usr/bin/env python3
"""Trains a network of torchvision on an image folder with AugMix, on several GPUs or processes.

    torchrun --nproc_per_node 8 examples/pytorch_imagenet_ddp.py imagenet/train imagenet/val --out runs/resnet50

Every process has a feed of its own, which knows rank and world size from torch.distributed: no DistributedSampler. The
batches of all processes together are those that one process would have with a batch as large as all of them, so the run
may go on with another number of processes. Needs PyTorch 1.13 or later, torchvision and augmix (docs/pytorch.md).
"""

import argparse
import os

import torch
import torch.distributed as dist
import torchvision
from torch.nn.parallel import DistributedDataParallel

from augmix import Feed
from augmix.torch import jsd_loss, to_device

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def normalize(images):
    """Bytes to normalized floats, on the device."""
    mean, std = (torch.tensor(v, device=images.device).view(3, 1, 1) for v in (MEAN, STD))
    return (images.float() / 255 - mean) / std


@torch.no_grad()
def error(model, data, size, device, batch, counts):
    """The error in percent. Ranks get equal numbers of batches; rows that only fill the last have no index.

    counts, of two numbers, is the caller's: it gets the wrong ones and all.
    """
    model.eval()
    counts.zero_()
    with Feed(data, size=size * 8 // 7, crop=size, shuffle=False, tail="pad", epochs=1, batch=batch) as feed:
        for images, labels, index in to_device(feed, device, names=("images", "labels", "index")):
            real = index >= 0
            counts[0] += (model(normalize(images)).argmax(1) != labels)[real].sum()
            counts[1] += real.sum()
    dist.all_reduce(counts)
    return (100 * counts[0] / counts[1]).item(), int(counts[1])


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("data")
    p.add_argument("val")
    p.add_argument("--out", required=True)
    p.add_argument("--model", default="resnet50")
    p.add_argument("--mix", default="augmix-m1-w3-d-1")
    p.add_argument("--views", type=int, default=3)
    p.add_argument("--size", type=int, default=224)
    p.add_argument("--batch", type=int, default=256, help="of all processes together")
    p.add_argument("--epochs", type=int, default=90)
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()

    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if args.batch % world:
        p.error(f"--batch {args.batch} is no multiple of {world} processes")
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)
    last = os.path.join(args.out, "last.pt")

    with Feed(args.data, mix=args.mix, views=args.views, crop=f"rrc:{args.size}", flip=True, batch=args.batch // world, seed=args.seed) as feed:
        model = getattr(torchvision.models, args.model)(weights=None, num_classes=len(feed.classes or range(10))).to(device)
        optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4, nesterov=True)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(feed))
        scaler = torch.cuda.amp.GradScaler(enabled=cuda)
        parts = {"model": model, "optimizer": optimizer, "schedule": schedule, "scaler": scaler, "feed": feed}
        if os.path.exists(last):
            saved = torch.load(last, map_location=device)
            for name, part in parts.items():
                part.load_state_dict(saved[name])
        parallel = DistributedDataParallel(model, device_ids=[device.index] if cuda else None)
        counts = torch.zeros(2, dtype=torch.float64, device=device)
        for epoch in range(feed.epoch, args.epochs):
            parallel.train()
            for images, labels in to_device(feed, device):
                with torch.autocast(device.type, enabled=cuda):
                    logits = parallel(normalize(images).flatten(0, 1))
                loss = jsd_loss(logits, labels, args.views)
                optimizer.zero_grad(set_to_none=True)
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
                schedule.step()
            if rank == 0:
                torch.save({name: part.state_dict() for name, part in parts.items()}, last + ".tmp")
                os.replace(last + ".tmp", last)
            percent, count = error(model, args.val, args.size, device, args.batch // world, counts)
            if rank == 0:
                print(f"epoch {epoch}  loss {loss.item():.4f}  error {percent:.2f} % of {count}", flush=True)
    dist.destroy_process_group()
    # Before counts: a thread of Gloo may still hold it. Were that the last reference, the thread would wait for Python's lock,
    # which the end of the process group holds while it waits for the thread (seen with PyTorch 1.13).
    del parallel


if __name__ == "__main__":
    main()
