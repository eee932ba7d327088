# Writes the files that the tests read, with PyTorch: make.py FOLDER
import sys

import torch

logits = torch.tensor([[2.5, 1, 0], [0, 3, 1], [0.5, 0, 4], [1, 0, -2]])
labels = torch.tensor([0, 2, 2, 0])
folder = sys.argv[1]
torch.save({"logits": logits, "labels": labels, "epoch": 3}, folder + "/dict.pt")
torch.save({"logits": logits.half(), "labels": labels.tolist()}, folder + "/half.pth", _use_new_zipfile_serialization=False)
torch.save(logits.t().contiguous().t(), folder + "/tensor.pt")
torch.save(logits.argmax(1), folder + "/classes.pt")
torch.save(labels, folder + "/tensor.labels.pt")
torch.save({"fog": logits.repeat(5, 1), "snow": logits.repeat(5, 1), "clean": logits, "labels": labels}, folder + "/corruptions.pt")
torch.save("text", folder + "/text.pt")
torch.save({"name": "resnet", "logits": logits, "labels": labels, "id": ["a", "b", "c", "\u00e9"]}, folder + "/ids.pt")
torch.save({"labels": labels, "key": (7, 8, 9, "\u00e9")}, folder + "/mixed.pt")
