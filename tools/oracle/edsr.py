"""EDSR in PyTorch: prints what nn/image2image/edsr_test.go expects.

Needs PyTorch (Debian 12: apt-get install python3-torch):

    /usr/bin/python3 tools/oracle/edsr.py            # the values
    /usr/bin/python3 tools/oracle/edsr.py tiny.pt    # also the state dict of the first network
"""

import sys

import torch
from torch import nn

MEAN = torch.tensor([0.4488, 0.4371, 0.4040])


def convolution(inputs, outputs, size=3):
    return nn.Conv2d(inputs, outputs, size, padding=size // 2)


def shift(sign):
    layer = convolution(3, 3, 1)
    layer.weight.data = torch.eye(3).view(3, 3, 1, 1)
    layer.bias.data = sign * 255 * MEAN
    return layer


class Block(nn.Module):
    def __init__(self, width, factor):
        super().__init__()
        self.body = nn.Sequential(convolution(width, width), nn.ReLU(), convolution(width, width))
        self.factor = factor

    def forward(self, x):
        return x + self.factor * self.body(x)


class EDSR(nn.Module):
    def __init__(self, blocks, width, scale):
        super().__init__()
        factor = 0.1 if width >= 256 else 1
        tail = []
        for by in [2, 2] if scale == 4 else [scale]:
            tail += [convolution(width, by * by * width), nn.PixelShuffle(by)]
        self.sub_mean, self.add_mean = shift(-1), shift(1)
        self.head = nn.Sequential(convolution(3, width))
        self.body = nn.Sequential(*[Block(width, factor) for _ in range(blocks)], convolution(width, width))
        self.tail = nn.Sequential(nn.Sequential(*tail), convolution(width, 3))

    def forward(self, x):
        x = self.head(self.sub_mean(x))
        return self.add_mean(self.tail(self.body(x) + x))


def fill(net):
    """Gives every trained tensor numbers that Go computes alike."""
    for name, tensor in net.state_dict().items():
        if "mean" in name:
            continue
        fan = tensor[0].numel() if tensor.dim() > 1 else 16
        i = torch.arange(tensor.numel(), dtype=torch.float64)
        values = ((i * 7919 + 31 * len(name)) % 1009 / 1009 - 0.5) * (18 / fan) ** 0.5
        tensor.copy_(values.view(tensor.shape))


def pattern(width, height):
    c, y, x = torch.meshgrid(torch.arange(3), torch.arange(height), torch.arange(width), indexing="ij")
    return ((7 * x + 13 * y + 29 * c + x * y) % 64).float() / 63


if __name__ == "__main__":
    for case, (blocks, width, scale) in enumerate([(2, 16, 2), (3, 24, 3), (1, 256, 4)]):
        net = EDSR(blocks, width, scale)
        fill(net)
        with torch.no_grad():
            out = net(255 * pattern(10, 7)[None])[0].double().flatten() / 255
        values = [round(out[i * 7919 % out.numel()].item(), 6) for i in range(12)]
        print(blocks, width, scale, values, "mean", round(out.mean().item(), 6))
        if case == 0 and len(sys.argv) > 1:
            torch.save(net.state_dict(), sys.argv[1])
