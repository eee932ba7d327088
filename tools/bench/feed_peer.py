#!/usr/bin/python3
"""Times batches that reach a PyTorch loop: augmix's feed against a DataLoader with torchvision's transforms doing the same.

usage: feed_peer.py feed|torch cifar SECONDS DATA.npy      32x32, crop pad4, flip, three views (clean, AugMix, AugMix), uint8 -> float
       feed_peer.py feed|torch jpeg SECONDS FOLDER         JPEG files -> random resized crop 224, flip, AugMix -> float
       feed_peer.py feed|torch epoch IMAGES DATA.npy       an epoch of training WRN-40-2 with AugMix and the consistency loss
       feed_peer.py feed|torch memory EPOCHS DATA.npy      resident memory of loop and workers over epochs of 2,000 images
       feed_peer.py pipe cifar|jpeg …                      the feed through a pipe
       feed_peer.py overhead SECONDS DATA.npy              the reader's own time for an image, 32x32 and 224x224 float32

AUGMIX_BIN names the program. The first batches are not timed. cifar and jpeg print samples a second, wall clock; two workers
each. Needs Debian's python3-torch and python3-torchvision.
"""
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "examples"))

import numpy as np

from augmix import Feed

WORKERS = 2


def torch_loader(kind, data, batch):
    """The DataLoader of the same work: images to tensors, the last step of torchvision's own recipes."""
    import torch
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset
    from torchvision import transforms as T

    augmix = T.AugMix(severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=False, interpolation=T.InterpolationMode.BILINEAR)
    to_float = T.Compose([T.PILToTensor(), T.ConvertImageDtype(torch.float32), T.Normalize((0.5,) * 3, (0.5,) * 3)])

    class Cifar(Dataset):
        def __init__(self):
            self.images = np.load(data)
            self.crop = T.Compose([T.RandomCrop(32, padding=4), T.RandomHorizontalFlip()])

        def __len__(self):
            return len(self.images)

        def __getitem__(self, i):
            image = self.crop(Image.fromarray(self.images[i]))
            return torch.stack([to_float(v) for v in (image, augmix(image), augmix(image))]), i % 10

    class Jpeg(Dataset):
        def __init__(self):
            self.paths = sorted(os.path.join(d, f) for d, _, names in os.walk(data) for f in names if f.lower().endswith((".jpg", ".jpeg")))
            self.crop = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip()])

        def __len__(self):
            return len(self.paths)

        def __getitem__(self, i):
            with Image.open(self.paths[i]) as f:
                return to_float(augmix(self.crop(f.convert("RGB")))), i % 10

    return DataLoader(Cifar() if kind == "cifar" else Jpeg(), batch_size=batch, shuffle=True, num_workers=WORKERS, drop_last=True,
                      persistent_workers=True)


def feed(kind, data, batch, transport="auto"):
    """The feed of the same work."""
    options = dict(crop="pad4:32", views=3) if kind == "cifar" else dict(crop="rrc:224", cache_mb=0)
    return Feed(data, mix="augmix-m3-w3-d-1", flip=True, batch=batch, dtype="float32", workers=WORKERS, transport=transport, rank=0,
                world_size=1, **options)


def loop(side, kind, data, batch):
    """Endless batches of a side."""
    source = torch_loader(kind, data, batch) if side == "torch" else feed(kind, data, batch, "pipe" if side == "pipe" else "auto")
    while True:
        yield from source


def rate(side, kind, seconds, data):
    """Samples a second into a loop that does nothing."""
    batch = 64 if kind == "cifar" else 16
    batches = loop(side, kind, data, batch)
    for _ in range(8):  # what lay ready before the clock starts is taken out
        next(batches)
    done, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        next(batches)
        done += batch
    print("%.1f" % (done / (time.monotonic() - start)))


def overhead(seconds, data):
    """CPU microseconds of the reader for each image: take, check, make arrays, give back."""
    for size, batch in ((32, 256), (224, 64)):
        options = dict(size=size) if size != 32 else {}
        with Feed(data, batch=batch, dtype="float32", workers=1, rank=0, world_size=1, **options) as f:
            next(f)
            done, cpu, start = 0, time.process_time(), time.monotonic()
            while time.monotonic() - start < seconds:
                try:
                    done += next(f).n
                except StopIteration:
                    pass
            print("%dx%d: %.2f us of CPU in the reader for an image" % (size, size, 1e6 * (time.process_time() - cpu) / done))


def epoch(side, images, data):
    """Seconds of an epoch of training, how many of them the loop waits for batches, and the CPU time of those who make them."""
    import torch
    from pytorch_cifar import wide_resnet

    from augmix.torch import jsd_loss

    torch.set_num_threads(WORKERS)
    model = wide_resnet(40, 2, 10)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True)
    batches = loop(side, "cifar", data, 64)
    next(batches)
    waited, cpu, start = 0.0, children_cpu(), time.monotonic()
    for _ in range(images // 64):
        before = time.monotonic()
        x, y = next(batches)
        waited += time.monotonic() - before
        x, y = torch.as_tensor(x), torch.as_tensor(y)
        x = x.flatten(0, 1) if side != "torch" else x.transpose(0, 1).flatten(0, 1)
        loss = jsd_loss(model(x), y, 3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    total = time.monotonic() - start
    print("%.1f s for %d images, of which %.2f s (%.1f %%) waiting for batches; %.2f s of CPU making them"
          % (total, images // 64 * 64, waited, 100 * waited / total, children_cpu() - cpu))


def children(pid):
    """The processes that a process has started, from any of its threads."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/children") as f:
            yield from f.read().split()


def children_cpu(pid="self"):
    """CPU seconds of the processes below one."""
    total = 0.0
    for child in children(pid):
        with open(f"/proc/{child}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + children_cpu(child)
    return total


def resident(pid):
    """Resident memory of a process and those it started, in MB."""
    with open(f"/proc/{pid}/status") as f:
        own = int(next(line for line in f if line.startswith("VmRSS")).split()[1]) / 1024
    return own + sum(resident(child) for child in children(pid))


def memory(side, epochs, data):
    """Resident memory of the loop and its workers. The ring is counted in both processes that map it."""
    steps = 2000 // 128
    batches = loop(side, "cifar", data, 128)
    for e in range(epochs):
        for _ in range(steps):
            next(batches)
        if e in (0, epochs // 2, epochs - 1):
            print("epoch %d: %.0f MB" % (e, resident(os.getpid())))


def main():
    random.seed(1)
    side, what = sys.argv[1], sys.argv[2]
    if side == "overhead":
        overhead(float(what), sys.argv[3])
    elif what in ("cifar", "jpeg"):
        rate(side, what, float(sys.argv[3]), sys.argv[4])
    elif what == "epoch":
        epoch(side, int(sys.argv[3]), sys.argv[4])
    elif what == "memory":
        memory(side, int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
