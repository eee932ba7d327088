"""Times PyTorch on one of the networks that tools/bench/nn.sh compares with: training steps or inference.

    nn_peer.py MODEL train|infer BATCH THREADS REPEATS LAYOUT

MODEL is resnet20, wrn-40-2, densenet-bc-100-12, resnext29-4x32, allconv or resnet50; LAYOUT is nchw or nhwc (channels_last). Prints
one line: median seconds of a step by the wall clock, median CPU seconds, and the peak of resident memory in MiB. The
networks are those of the AugMix paper, written with torch.nn as their authors did (in-place ReLU, no bias before a norm).
"""

import resource
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


class WideBlock(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(cin), nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn2, self.conv2 = nn.BatchNorm2d(cout), nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.short = None if cin == cout else nn.Conv2d(cin, cout, 1, stride, bias=False)

    def forward(self, x):
        a = F.relu(self.bn1(x), inplace=True)
        h = self.conv2(F.relu(self.bn2(self.conv1(a)), inplace=True))
        return h + (x if self.short is None else self.short(a))


def wide_resnet(depth, widen):
    n, width = (depth - 4) // 6, [16, 16 * widen, 32 * widen, 64 * widen]
    layers = [nn.Conv2d(3, 16, 3, 1, 1, bias=False)]
    for stage in range(3):
        for i in range(n):
            cin = width[stage] if i == 0 else width[stage + 1]
            layers.append(WideBlock(cin, width[stage + 1], 2 if i == 0 and stage > 0 else 1))
    layers += [nn.BatchNorm2d(width[3]), nn.ReLU(inplace=True), nn.AvgPool2d(8), nn.Flatten(), nn.Linear(width[3], 10)]
    return nn.Sequential(*layers)


class PlainBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.grow, stride = (cout - cin) // 2, cout // cin
        self.conv1, self.bn1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout)
        self.conv2, self.bn2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False), nn.BatchNorm2d(cout)

    def forward(self, x):
        h = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)), inplace=True)))
        if self.grow:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.grow, self.grow))
        return F.relu(h + x, inplace=True)


def resnet20():
    layers = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True)]
    c = 16
    for width in (16, 32, 64):
        for _ in range(3):
            layers.append(PlainBlock(c, width))
            c = width
    return nn.Sequential(*layers, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 10))


class DenseLayer(nn.Module):
    def __init__(self, cin, growth):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(cin), nn.Conv2d(cin, 4 * growth, 1, bias=False)
        self.bn2, self.conv2 = nn.BatchNorm2d(4 * growth), nn.Conv2d(4 * growth, growth, 3, 1, 1, bias=False)

    def forward(self, x):
        h = self.conv1(F.relu(self.bn1(x), inplace=True))
        h = self.conv2(F.relu(self.bn2(h), inplace=True))
        return torch.cat([x, h], 1)


def densenet_bc(depth, growth):
    per, c = (depth - 4) // 6, 2 * growth
    layers = [nn.Conv2d(3, c, 3, 1, 1, bias=False)]
    for stage in range(3):
        for _ in range(per):
            layers.append(DenseLayer(c, growth))
            c += growth
        if stage < 2:
            layers += [nn.BatchNorm2d(c), nn.ReLU(inplace=True), nn.Conv2d(c, c // 2, 1, bias=False), nn.AvgPool2d(2)]
            c //= 2
    layers += [nn.BatchNorm2d(c), nn.ReLU(inplace=True), nn.AvgPool2d(8), nn.Flatten(), nn.Linear(c, 10)]
    return nn.Sequential(*layers)


class NeXtBlock(nn.Module):
    def __init__(self, cin, planes, stride):
        super().__init__()
        d, out = planes * 32 // 64 * 4, planes * 4
        self.body = nn.Sequential(
            nn.Conv2d(cin, d, 1, bias=False), nn.BatchNorm2d(d), nn.ReLU(inplace=True),
            nn.Conv2d(d, d, 3, stride, 1, groups=4, bias=False), nn.BatchNorm2d(d), nn.ReLU(inplace=True),
            nn.Conv2d(d, out, 1, bias=False), nn.BatchNorm2d(out))
        self.short = nn.Identity()
        if cin != out:
            self.short = nn.Sequential(nn.Conv2d(cin, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x), inplace=True)


def resnext29():
    layers, c = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)], 64
    for stage in range(3):
        for i in range(3):
            planes = 64 << stage
            layers.append(NeXtBlock(c, planes, 2 if i == 0 and stage > 0 else 1))
            c = planes * 4
    return nn.Sequential(*layers, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(c, 10))


class SigmoidGELU(nn.Module):
    def forward(self, x):
        return torch.sigmoid(1.702 * x) * x


def allconv():
    layers, c = [], 3

    def conv(out, k, pad):
        nonlocal c
        layers.extend([nn.Conv2d(c, out, k, 1, pad), nn.BatchNorm2d(out), SigmoidGELU()])
        c = out

    for width in (96, 192):
        for _ in range(3):
            conv(width, 3, 1)
        layers.extend([nn.MaxPool2d(2), nn.Dropout(0.5)])
    conv(192, 3, 0)
    conv(192, 1, 1)
    conv(192, 1, 1)
    return nn.Sequential(*layers, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(192, 10))


def build(name):
    if name == "resnet50":
        import torchvision
        return torchvision.models.resnet50(), 224, 1000
    makers = {
        "resnet20": resnet20,
        "wrn-40-2": lambda: wide_resnet(40, 2),
        "densenet-bc-100-12": lambda: densenet_bc(100, 12),
        "resnext29-4x32": resnext29,
        "allconv": allconv,
    }
    return makers[name](), 32, 10


def main():
    name, mode, batch, threads, repeats, layout = sys.argv[1:]
    batch, repeats = int(batch), int(repeats)
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    model, size, classes = build(name)
    x = torch.randn(batch, 3, size, size)
    if layout == "nhwc":
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    y = torch.randint(classes, (batch,))
    optimizer = torch.optim.SGD(model.parameters(), 0.01, 0.9, weight_decay=5e-4, nesterov=True)

    def train():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    def infer():
        with torch.inference_mode():
            model(x)

    model.train(mode == "train")
    step = train if mode == "train" else infer
    step()
    wall, cpu = [], []
    for _ in range(repeats):
        t, c = time.perf_counter(), time.process_time()
        step()
        wall.append(time.perf_counter() - t)
        cpu.append(time.process_time() - c)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(statistics.median(wall), statistics.median(cpu), peak)


main()
