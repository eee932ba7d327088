#!/usr/bin/env python3
"""Writes networks of PyTorch with random weights for TestTorch: networks.py FOLDER. Needs torch and torchvision.

For each: NAME.pth, a state dict, NAME.x.npy, two images, and NAME.y.npy, their logits computed in float64, [exits, 2,
classes]. Networks that torchvision lacks are defined here, after their papers.
"""
import re
import sys
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
import torchvision
from torch import nn


def former(state):
    """Names that torchvision's published DenseNets have."""
    return {re.sub(r"(denselayer\d+\.(?:norm|conv))([12])", r"\1.\2", k): v for k, v in state.items()}


class ShakeBranch(nn.Module):
    def __init__(self, c, out, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)

    def forward(self, x):
        return self.bn2(self.conv2(F.relu(self.bn1(self.conv1(F.relu(x))))))


class ShakeDown(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(c, c, 1, bias=False) for _ in range(2))
        self.bn = nn.BatchNorm2d(2 * c)

    def forward(self, x):
        x = F.relu(x)
        moved = F.pad(x, (0, 1, 0, 1))[:, :, 1:, 1:]
        return self.bn(torch.cat([self.conv1(x[:, :, ::2, ::2]), self.conv2(moved[:, :, ::2, ::2])], 1))


class ShakeBlock(nn.Module):
    def __init__(self, c, out, stride):
        super().__init__()
        self.residual_path1, self.residual_path2 = ShakeBranch(c, out, stride), ShakeBranch(c, out, stride)
        self.shortcut = nn.Sequential(OrderedDict([("downsample", ShakeDown(c))] if c != out else []))

    def forward(self, x):
        return self.shortcut(x) + (self.residual_path1(x) + self.residual_path2(x)) / 2


class ShakeShake(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        c = width
        for stage in range(3):
            blocks = OrderedDict()
            for i in range(4):
                blocks["block%d" % (i + 1)] = ShakeBlock(c, width << stage, 2 if stage and not i else 1)
                c = width << stage
            self.add_module("stage%d" % (stage + 1), nn.Sequential(blocks))
        self.fc = nn.Linear(c, 10)

    def forward(self, x):
        x = self.stage3(self.stage2(self.stage1(F.relu(self.bn(self.conv(x))))))
        return self.fc(x.mean((2, 3)))


def networks():
    yield "shakeshake26-2x32d", ShakeShake(32), 33, dict
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
