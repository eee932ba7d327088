#!/usr/bin/env python3
"""Makes the project's own expected outputs (testdata/golden) with Pillow and NumPy. See README.md.

    oracle.py [FOLDER]          write the groups below FOLDER (default: testdata/golden of this checkout)
    oracle.py --check [FOLDER]  write nothing; exit 1 if FOLDER does not hold what would be written
"""

import argparse
import json
import pathlib
import platform
import shutil
import sys
import tempfile

import numpy as np
import PIL
from PIL import Image, features

import mixtures
import operations
import preprocessing
from images import BATCH, IMAGES, Lcg

EXACT = {"max_abs": 0, "mean_abs": 0}


class Group:
    """One group folder while it is being written."""

    def __init__(self, root, name, conventions):
        self.dir = root / name
        self.dir.mkdir(parents=True)
        self.head = {
            "group": name,
            "set": "project",
            "pillow": PIL.__version__,
            "numpy": np.__version__,
            "zlib": features.version("zlib"),
            "python": platform.python_version(),
            "conventions": conventions,
        }
        self.cases = []

    def png(self, file, image):
        path = self.dir / file
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            Image.fromarray(np.asarray(image)).save(path, optimize=True)
        return file

    def npy(self, file, array):
        path = self.dir / file
        path.parent.mkdir(exist_ok=True)
        np.save(path, np.ascontiguousarray(array))
        return file

    def add(self, case, op, params, inputs, expected, tolerance=EXACT, note="", **more):
        self.cases.append({
            "case": case, "op": op, "params": params, "inputs": inputs, "expected": expected, "tolerance": tolerance,
            "note": note, **more,
        })

    def close(self):
        """Writes the manifest, one case a line."""
        names = [c["case"] for c in self.cases]
        if len(set(names)) != len(names):
            raise ValueError("a case name is given twice")
        head = json.dumps(self.head)[:-1]
        rows = ",\n".join(json.dumps(c) for c in self.cases)
        (self.dir / "manifest.json").write_text(f'{head}, "cases": [\n{rows}\n]}}\n')


def write_table(root, name, functions, cases, conventions):
    """Writes a group of cases that each take one image and give one."""
    group = Group(root, name, conventions)
    for i, (op, params, images) in enumerate(cases):
        for image in images:
            case = f"{i:03d}_{op}_{image}"
            source = group.png(f"inputs/{image}.png", IMAGES[image])
            result = functions[op](Image.fromarray(IMAGES[image]), params)
            group.add(case, op, params, [source], [group.png(f"out/{case}.png", result)])
    group.close()


def write_augmix(root):
    group = Group(root, "augmix", (
        "inputs uint8; float outputs [image, channel, H, W] float32 (augmix_numpy: [image, H, W, channel] float64). "
        "'value' is the final operation parameter with its sign applied; shear and translate use the affine matrices "
        "(1,v,0,0,1,0), (1,0,0,v,1,0), (1,0,v,0,1,0), (1,0,0,0,1,v)"))
    batch = group.npy("inputs/batch6.npy", BATCH)
    note = ("expected[0] without, expected[1] with normalisation before mixing; 'chains_u8' = uint8 chain ends "
            "[image,chain,H,W,C], exact")
    g = Lcg(2024)
    for name, images, severity, width, depth, all_ops, mean, std in mixtures.SAMPLES:
        params = {"severity": severity, "width": width, "depth": depth, "all_ops": all_ops}
        if isinstance(images, str):
            images, source = [IMAGES[images]], group.png(f"inputs/{images}.png", IMAGES[images])
            params["image_index"] = [0]
        else:
            images, source = [BATCH[i] for i in images], batch
            params["image_index"] = images
        params.update(mean=mean, std=std)
        choices = [mixtures.choose(g, severity, width, depth, all_ops, p.shape[1]) for p in images]
        ends = [mixtures.run_chains(c, p) for c, p in zip(choices, images)]
        raw = [mixtures.mix(c, p, e) for c, p, e in zip(choices, images, ends)]
        norm = [mixtures.mix(c, p, e, mean, std) for c, p, e in zip(choices, images, ends)]
        expected = [group.npy(f"out/{name}_raw.npy", np.stack(raw)), group.npy(f"out/{name}_norm.npy", np.stack(norm))]
        chains = group.npy(f"out/{name}_chains.npy", np.stack(ends))
        group.add(name, "augmix", params, [source], expected, {"max_abs": 1e-5}, note, choices=choices,
                  chains_u8=[chains])

    index, mean, std = [1, 5], [0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]
    choices = [mixtures.choose(g, 3, 3, -1, False, 32) for _ in index]
    mixed = []
    for c, i in zip(choices, index):
        mixed.append(mixtures.mix_numpy(c, BATCH[i], mixtures.run_chains(c, BATCH[i]), mean, std))
    params = {"severity": 3, "width": 3, "depth": -1, "mean": mean, "std": std, "image_index": index}
    group.add("augmix_numpy", "augmix_numpy", params, [batch], [group.npy("out/augmix_numpy.npy", np.stack(mixed))],
              {"max_abs": 1e-5}, "NHWC float64", choices=choices)

    rows = mixtures.level_table()
    (group.dir / "levels.json").write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
    group.add("levels", "level_to_value", {}, [], ["levels.json"], note="list of {size, op, level, negative, value}")
    group.close()


def write_preprocess(root, images):
    group = Group(root, "preprocess", (
        "images RGB uint8, names say width x height; made with OpenCV "
        f"{preprocessing.cv2.__version__} and scikit-image"))
    lab = {"max_abs": 6, "mean_abs": 0.15}
    for name in images:
        image, source = IMAGES[name], group.png(f"inputs/{name}.png", IMAGES[name])
        for clip, tiles in preprocessing.CLAHE:
            for op, tolerance in ("clahe_grey", EXACT), ("clahe", lab):
                case = f"{op}_c{clip}_t{tiles}_{name}"
                result = getattr(preprocessing, op)(image, clip, tiles)
                group.add(case, op, {"clip": clip, "tiles": tiles}, [source], [group.png(f"out/{case}.png", result)],
                          tolerance)
        if name.startswith("shapes"):
            continue  # with flat areas the estimate of the noise hangs on the rounding of sums
        for strength, patch, distance in preprocessing.NLM:
            case = f"nlm_h{strength}_p{patch}_d{distance}_{name}"
            result, sigma = preprocessing.nlm(image, strength, patch, distance)
            params = {"strength": strength, "patch": patch, "distance": distance}
            group.add(case, "nlm", params, [source], [group.png(f"out/{case}.png", result)],
                      {"max_abs": 2, "mean_abs": 0.25}, values={"sigma": sigma})
    group.close()


def write_all(root):
    write_table(root, "ops", operations.OPERATIONS, operations.ops_cases(), (
        "images RGB uint8, names say width x height; affine coefficients map output pixel centres to source; positive "
        "rotation is counter-clockwise; outside is black unless params.fill says otherwise"))
    write_table(root, "geometry", operations.GEOMETRY, operations.geometry_cases(), (
        "images RGB uint8, names say width x height; resize_shorter and center_crop follow torchvision's Resize(int) "
        "and CenterCrop; crop may reach outside, which is black"))
    write_augmix(root)
    write_preprocess(root, ["gradient_37x23", "dark_32x32", "shapes_64x40", "skewed_24x32"])


def files(root):
    return {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "golden"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=default)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        made = pathlib.Path(name)
        write_all(made)
        for group in sorted(p.name for p in made.iterdir()):
            target = args.folder / group
            if not args.check:
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(made / group, target)
                continue
            want, have = files(made / group), files(target)
            wrong = sorted(str(f) for f in want.keys() | have.keys() if want.get(f) != have.get(f))
            if wrong:
                sys.exit(f"{target}: {len(wrong)} files differ, first {wrong[0]}")
        total = files(made)
        print(f"{len(total)} files, {sum(map(len, total.values()))} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
