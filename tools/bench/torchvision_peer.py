#!/usr/bin/python3
"""Images per CPU second of torchvision's AugMix, the peer that tools/bench/run.sh compares with.

Needs Debian's python3-torchvision and python3-pil. Images are given as a folder, or "-" for generated ones; crops of the
wanted size are kept in memory as uint8 tensors, so that only the augmentation is timed.
usage: torchvision_peer.py SIZE SECONDS FOLDER  -> one number
       torchvision_peer.py jpeg SECONDS FOLDER  -> the same for decode, random resized crop 224, AugMix of JPEG files
       torchvision_peer.py decode SECONDS FOLDER  -> the same for decoding JPEG files with Pillow alone
"""
import io
import os
import random
import sys
import time

import torch
from PIL import Image
from torchvision import transforms
from torchvision.transforms import functional

mode, seconds, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
torch.set_num_threads(1)
random.seed(1)
torch.manual_seed(1)
if folder == "-":
    y, x = torch.meshgrid(torch.arange(256), torch.arange(256), indexing="ij")
    disc = ((x - 128) ** 2 + (y - 100) ** 2 < 3600).int() * 90
    image = torch.stack([(x + disc) % 256, (y + x // 2 + disc) % 256, 255 - y]) + torch.randint(0, 12, (3, 256, 256))
    sources = [functional.to_pil_image(image.clamp(0, 255).to(torch.uint8))]
else:
    paths = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.lower().endswith((".png", ".jpg", ".jpeg"))]
    if not paths:
        sys.exit("no images in " + folder)
    sources = None
augmix = transforms.AugMix(severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=False,
                           interpolation=transforms.InterpolationMode.BILINEAR)

if mode == "decode":
    files = [open(p, "rb").read() for p in paths]

    def work(i):
        Image.open(io.BytesIO(files[i % len(files)])).load()
elif mode == "jpeg":
    crop = transforms.RandomResizedCrop(224)

    def work(i):
        augmix(crop(Image.open(paths[i % len(paths)]).convert("RGB")))
else:
    size = int(mode)
    images = []
    for i in range(128):
        image = sources[0] if sources else Image.open(paths[i % len(paths)]).convert("RGB")
        x, y = random.randint(0, max(image.width - size, 0)), random.randint(0, max(image.height - size, 0))
        images.append(functional.pil_to_tensor(image.crop((x, y, x + size, y + size))))

    def work(i):
        augmix(images[i % len(images)])

for i in range(8):
    work(i)
done, start = 0, time.process_time()
while time.process_time() - start < seconds:
    work(done)
    done += 1
print("%.1f" % (done / (time.process_time() - start)))
