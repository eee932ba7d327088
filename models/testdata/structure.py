#!/usr/bin/env python3
"""Records the structure of torchvision's networks as torchvision.json beside this file. Needs torch and torchvision.

For each network: the trained values, the multiply-adds of convolutions and linear layers for one 224x224 image, the
number of tensors of the state dict (without num_batches_tracked) and the SHA-256 of its listing, one line a tensor:
"name 64,3,7,7". Some networks have the whole listing, with mean, standard deviation and largest magnitude of each tensor
as torchvision initialises it.
"""
import hashlib
import json
import os

import torch
import torchvision

NETS = {
    "resnet18": ("resnet18", True), "resnet34": ("resnet34", False), "resnet50": ("resnet50", True),
    "resnet101": ("resnet101", False), "resnet152": ("resnet152", False),
    "resnext50-32x4d": ("resnext50_32x4d", True), "resnext101-32x8d": ("resnext101_32x8d", False),
    "densenet121": ("densenet121", False), "densenet161": ("densenet161", False), "densenet169": ("densenet169", False),
    "densenet201": ("densenet201", False),
    "alexnet": ("alexnet", True), "vgg11": ("vgg11", False), "vgg11-bn": ("vgg11_bn", True), "vgg13": ("vgg13", False),
    "vgg16": ("vgg16", False), "vgg19": ("vgg19", False), "vgg19-bn": ("vgg19_bn", False),
    "squeezenet1.0": ("squeezenet1_0", True), "squeezenet1.1": ("squeezenet1_1", True),
}


def multiply_adds(net):
    total = 0

    def count(m, x, y):
        nonlocal total
        if isinstance(m, torch.nn.Conv2d):
            total += y.numel() * m.in_channels // m.groups * m.kernel_size[0] * m.kernel_size[1]
        else:
            total += y.numel() * m.in_features

    for m in net.modules():
        if isinstance(m, (torch.nn.Conv2d, torch.nn.Linear)):
            m.register_forward_hook(count)
    net.eval()
    with torch.no_grad():
        net(torch.zeros(1, 3, 224, 224))
    return total


def record(name, whole):
    torch.manual_seed(1)
    net = getattr(torchvision.models, name)(weights=None)
    state = [(k, v) for k, v in net.state_dict().items() if not k.endswith("num_batches_tracked")]
    listing = "".join("%s %s\n" % (k, ",".join(map(str, v.shape))) for k, v in state)
    row = {
        "parameters": sum(p.numel() for p in net.parameters()),
        "multiply_adds": multiply_adds(net),
        "tensors": len(state),
        "listing_sha256": hashlib.sha256(listing.encode()).hexdigest(),
    }
    if whole:
        row["state"] = [
            [k, list(v.shape)] + [float("%.5g" % f(v.double())) for f in
                                  (torch.mean, lambda t: t.std(unbiased=False), lambda t: t.abs().max())]
            for k, v in state
        ]
    return row


out = {"torch": torch.__version__, "torchvision": torchvision.__version__,
       "networks": {spec: record(*args) for spec, args in NETS.items()}}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "torchvision.json"), "w") as f:
    s = json.dumps(out, separators=(",", ":"))
    f.write(s.replace('],["', '],\n["').replace('"state":[', '"state":[\n').replace("},", "},\n") + "\n")
