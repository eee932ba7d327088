#!/usr/bin/env python3
"""Writes networks of PyTorch with random weights for TestTorch: networks.py FOLDER. Needs torch and torchvision.

For each: NAME.pth, a state dict, NAME.x.npy, two images, and NAME.y.npy, their logits computed in float64, [exits, 2,
classes]. Networks that torchvision lacks are defined here, after their papers.
"""
import re
import sys

import numpy as np
import torch
import torchvision


def former(state):
    """Names that torchvision's published DenseNets have."""
    return {re.sub(r"(denselayer\d+\.(?:norm|conv))([12])", r"\1.\2", k): v for k, v in state.items()}


def networks():
    for name in "densenet121", "densenet161":
        yield name, getattr(torchvision.models, name)(weights=None), 64, former


for name, net, side, rename in networks():
    torch.manual_seed(0)
    net.eval()
    for k, v in net.state_dict().items():
        if "running_mean" in k:
            v.normal_(0, .1)
        if "running_var" in k:
            v.uniform_(.5, 2)
    x = torch.randn(2, 3, side, side)
    path = sys.argv[1] + "/" + name
    torch.save(rename(net.state_dict()), path + ".pth")
    with torch.no_grad():
        y = net.double()(x.double())
    np.save(path + ".x.npy", x.numpy())
    np.save(path + ".y.npy", (torch.stack(y) if isinstance(y, list) else y[None]).numpy())
