# Writes the files that the tests read, with PyTorch: make.py FOLDER
import collections
import sys

import numpy as np
import torch

base = torch.arange(6).reshape(2, 3)
values = collections.OrderedDict()
for name in "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split():
    values[name] = (base - 2).to(getattr(torch, name)) if name not in ("uint8", "bool") else base.to(getattr(torch, name))
shared = torch.arange(12, dtype=torch.float32)
values["rows"] = shared[2:8].reshape(2, 3)
values["columns"] = shared[:6].reshape(3, 2).t()
values["steps"] = shared[::4]
values["scalar"] = torch.tensor(7)
values["empty"] = torch.zeros(0, 3)
values["parameter"] = torch.nn.Parameter(torch.ones(2))
values["numpy"] = np.array([[1.5, 2], [3, 4]], dtype=np.float32, order="F")
values["list"] = [3, 1, 2]
values["text"] = "none"
values["number"] = np.float64(0.5)
values["nested"] = {"shape": base.shape, "device": torch.device("cpu"), "type": torch.float32, "none": None}

folder = sys.argv[1]
torch.save(values, folder + "/zip.pt")
torch.save(values, folder + "/protocol4.pt", pickle_protocol=4)
torch.save(values, folder + "/legacy.pt", _use_new_zipfile_serialization=False)
torch.save(values, folder + "/legacy4.pt", _use_new_zipfile_serialization=False, pickle_protocol=4)
torch.save(base, folder + "/tensor.pt")
torch.save(torch.nn.Linear(2, 1), folder + "/model.pt")
torch.jit.script(torch.nn.Linear(2, 1)).save(folder + "/script.pt")
