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


def conv_bn(c, out, k, stride):
    return [nn.Conv2d(c, out, k, stride, k // 2, bias=False), nn.BatchNorm2d(out), nn.ReLU()]


class Net(nn.Module):
    def __init__(self, *modules):
        super().__init__()
        self.net = nn.Sequential(*modules)

    def forward(self, x):
        return self.net(x)


def inner(c, out, factor, stride):
    mid = min(c, factor * out)
    return Net(*conv_bn(c, mid, 1, 1), *conv_bn(mid, out, 3, stride))


class Scales(nn.Module):
    """A layer of MSDNet: modules of each scale that is left, of the finer scale (down) and of its own."""
    def __init__(self, channels, growth, factor, before, after):
        super().__init__()
        self.drop, offset, self.layers = before - after, len(factor) - after, nn.ModuleList()
        for s in range(offset, len(factor)):
            layer, finer = nn.Module(), s > 0 and (s > offset or self.drop > 0)
            out = growth * factor[s] // (2 if finer else 1)
            if finer:
                layer.conv_down = inner(channels * factor[s - 1], out, factor[s - 1], 2)
            layer.conv_normal = inner(channels * factor[s], out, factor[s], 1)
            self.layers.append(layer)

    def forward(self, xs):
        out = []
        for i, layer in enumerate(self.layers):
            x = xs[i + self.drop]
            parts = [x] + ([layer.conv_down(xs[i + self.drop - 1])] if hasattr(layer, "conv_down") else [])
            out.append(torch.cat(parts + [layer.conv_normal(x)], 1))
        return out


class MSDNet(nn.Module):
    def __init__(self, small, blocks, step):
        super().__init__()
        factor, growth, c = ([1, 2, 4], 6, 16) if small else ([1, 2, 4, 4], 16, 32)
        steps = [step * 2 if small else step] + [step] * (blocks - 1)
        interval, n = -(-sum(steps) // len(factor)), 0
        first = nn.Module()
        first.layers = nn.ModuleList([Net(*conv_bn(3, c, 3, 1)) if small else nn.Sequential(
            nn.Conv2d(3, c, 7, 2, 3), nn.BatchNorm2d(c), nn.ReLU(), nn.MaxPool2d(3, 2, 1))])
        for a, b in zip(factor, factor[1:]):
            first.layers.append(Net(*conv_bn(c * a, c * b, 3, 2)))
        self.blocks, self.classifier = nn.ModuleList([nn.ModuleList([first])]), nn.ModuleList()
        for b, step in enumerate(steps):
            if b:
                self.blocks.append(nn.ModuleList())
            for _ in range(step):
                n += 1
                before, after = (len(factor) - max(k, 0) // interval for k in (n - 2, n - 1))
                self.blocks[b].append(Scales(c, growth, factor, before, after))
                c += growth
                if before > after:
                    m = nn.Module()
                    m.m = nn.ModuleList([Net(*conv_bn(c * f, c // 2 * f, 1, 1)) for f in factor[-after:]])
                    self.blocks[b].append(m)
                    c //= 2
            exit, wide = nn.Module(), 128 if small else c * factor[-1]
            exit.m = nn.Sequential(Net(*conv_bn(c * factor[-1], wide, 3, 2)), Net(*conv_bn(wide, wide, 3, 2)), nn.AvgPool2d(2))
            exit.linear = nn.Linear(wide, 10)
            self.classifier.append(exit)

    def forward(self, x):
        logits, xs = [], None
        for block, exit in zip(self.blocks, self.classifier):
            for m in block:
                if xs is None:
                    xs = []
                    for layer in m.layers:
                        x = layer(x)
                        xs.append(x)
                elif isinstance(m, Scales):
                    xs = m(xs)
                else:
                    xs = [f(x) for f, x in zip(m.m, xs)]
            logits.append(exit.linear(exit.m(xs[-1]).flatten(1)))
        return logits


class Condensed(nn.Module):
    """A converted 1x1 convolution of CondenseNet."""
    def __init__(self, c, out, groups):
        super().__init__()
        self.groups, self.norm, self.conv = groups, nn.BatchNorm2d(c), nn.Conv2d(c, out, 1, groups=groups, bias=False)
        self.register_buffer("index", torch.randint(c, (c,)))

    def forward(self, x):
        x = self.conv(F.relu(self.norm(x[:, self.index])))
        return x.unflatten(1, (self.groups, -1)).transpose(1, 2).flatten(1, 2)


class CondenseLayer(nn.Module):
    def __init__(self, c, growth, groups):
        super().__init__()
        self.conv_1 = Condensed(c, 4 * growth, groups)
        self.conv_2 = nn.Sequential(OrderedDict([("norm", nn.BatchNorm2d(4 * growth)), ("relu", nn.ReLU()), (
            "conv", nn.Conv2d(4 * growth, growth, 3, 1, 1, groups=groups, bias=False))]))

    def forward(self, x):
        return torch.cat([x, self.conv_2(self.conv_1(x))], 1)


class CondenseNet(nn.Module):
    def __init__(self, groups):
        super().__init__()
        c, self.features = 16, nn.Sequential(OrderedDict([("init_conv", nn.Conv2d(3, 16, 3, 2, 1, bias=False))]))
        for b, n in enumerate([4, 6, 8, 10, 8]):
            if b:
                self.features.add_module("transition_%d" % b, nn.AvgPool2d(2, 2))
            layers = OrderedDict()
            for i in range(n):
                layers["denselayer_%d" % (i + 1)] = CondenseLayer(c, 8 << b, groups)
                c += 8 << b
            self.features.add_module("denseblock_%d" % (b + 1), nn.Sequential(layers))
        self.features.add_module("norm_last", nn.BatchNorm2d(c))
        self.classifier = nn.Module()
        self.classifier.register_buffer("index", torch.randperm(c)[:c // 2])
        self.classifier.linear = nn.Linear(c // 2, 10)

    def forward(self, x):
        x = F.relu(self.features(x)).mean((2, 3))
        return self.classifier.linear(x[:, self.classifier.index])


class GridConv(nn.Module):
    def __init__(self, c, out):
        super().__init__()
        sums = [sum(c[max(g - 1, 0):g + 2]) for g in range(len(c))]
        self.conv = nn.ModuleList([nn.Conv2d(i, o, 3, 1, 1) for i, o in zip(sums, out)])
        self.bn = nn.ModuleList([nn.BatchNorm2d(o) for o in out])

    def forward(self, xs):
        out = []
        for g, x in enumerate(xs):
            near = [F.max_pool2d(xs[g - 1], 2)] if g else []
            near += [x] + [F.interpolate(y, scale_factor=2) for y in xs[g + 1:g + 2]]
            out.append(self.bn[g](self.conv[g](torch.cat(near, 1))))
        return out


class Multigrid(nn.Module):
    def __init__(self, depths):
        super().__init__()
        c = [64, 32, 16]
        self.input = nn.ModuleList([nn.Sequential(nn.Conv2d(3, i, 7, 2, 3), nn.BatchNorm2d(i)) for i in c])
        self.blocks = nn.ModuleList()
        for b, (n, out) in enumerate(zip(depths, [[64, 32, 16], [128, 64, 32], [256, 128], [512]])):
            if len(out) < len(c):
                c = c[:-2] + [c[-2] + c[-1]]
            self.blocks.append(nn.ModuleList())
            for _ in range(n):
                self.blocks[b].append(nn.ModuleList([GridConv(c, out), GridConv(out, out)]))
                c = out
        self.classifier = nn.Linear(512, 10)

    def forward(self, x):
        xs = [F.max_pool2d(F.relu(m(F.avg_pool2d(x, 1 << i))), 3, 2, 1) for i, m in enumerate(self.input)]
        for b, block in enumerate(self.blocks):
            if b in (2, 3):
                xs = [F.max_pool2d(x, 2) for x in xs[:-1]] + xs[-1:]
                xs = xs[:-2] + [torch.cat(xs[-2:], 1)]
            elif b:
                xs = [F.max_pool2d(x, 2) for x in xs]
            for first, second in block:
                ys = second([F.relu(y) for y in first(xs)])
                xs = [F.relu(F.pad(x, (0, 0, 0, 0, 0, y.shape[1] - x.shape[1])) + y) for x, y in zip(xs, ys)]
        return self.classifier(xs[0].mean((2, 3)))


def grids(state):
    """The names that the networks have here."""
    state = {re.sub(r"\.([01])\.(conv|bn)\.", lambda m: ".%s%d." % (m[2], int(m[1]) + 1), k): v for k, v in state.items()}
    return {re.sub(r"^(input\.\d)\.([01])", lambda m: m[1] + (".bn" if int(m[2]) else ".conv"), k): v for k, v in state.items()}


def networks():
    yield "rmg18", Multigrid([2, 2, 2, 2]), 64, grids
    yield "condensenet-c8-converted", CondenseNet(8), 96, dict
    yield "msdnet-5-4", MSDNet(False, 5, 4), 224, dict
    yield "msdnet-small-7-2", MSDNet(True, 7, 2), 32, dict
    yield "shakeshake26-2x32d", ShakeShake(32), 33, dict
    for name in "densenet121", "densenet161":
        yield name, getattr(torchvision.models, name)(weights=None), 64, former


torch.set_num_threads(1)  # for two images others would only wait for each other
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
