# Writes the files that the tests read, with PyTorch: make.py FOLDER
import sys

import torch

net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
with torch.no_grad():
    for i, v in enumerate(net.parameters()):
        v.copy_(torch.arange(v.numel()).reshape(v.shape) + 10 * i)
    net[1].running_var.fill_(2)
adam = torch.optim.Adam(net.parameters())
net(torch.ones(3, 2)).sum().backward()
adam.step()
with torch.no_grad():
    for i, v in enumerate(net.parameters()):
        v.copy_(torch.arange(v.numel()).reshape(v.shape) + 10 * i)
    net[1].running_mean.fill_(0)
    net[1].running_var.fill_(2)
state = net.state_dict()
parallel = torch.nn.DataParallel(net).state_dict()
beside = {"epoch": 3, "best_acc1": torch.tensor(71.5), "optimizer": adam.state_dict(), "arch": "tiny", "lr": 0.1}

folder = sys.argv[1]
torch.save(state, folder + "/plain.pth")
torch.save({"state_dict": parallel, **beside}, folder + "/checkpoint.pth", _use_new_zipfile_serialization=False)
torch.save({"model": {"state_dict": {"_orig_mod." + k: v for k, v in state.items()}}}, folder + "/nested.pth")
torch.save({"net": {k: v.bfloat16() if v.is_floating_point() else v for k, v in state.items()}}, folder + "/bfloat16.pth")
torch.save({"epoch": 3}, folder + "/nothing.pth")
torch.save({"a": torch.ones(2, dtype=torch.int32)}, folder + "/integers.pth")
