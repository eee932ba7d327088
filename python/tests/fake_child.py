"""A child that speaks the protocol, and breaks it on demand, for the tests of the Python side.

Standard library only, so that it starts in hundredths of a second. Its images are 3x4x4 bytes of one value, a function of
the sample, the epoch and the view. --fault=NAME[:BATCH] says what goes wrong and at which batch.
"""

import fcntl
import json
import mmap
import os
import queue
import random
import signal
import struct
import sys
import threading
import time
import zlib

HEAD = struct.Struct("<4sHBBIIQQQQQI")
SIDE = 48  # bytes of an image


def options():
    """The flags as a dict, and the data set."""
    assert sys.argv[1] == "feed", sys.argv
    found, rest = {}, sys.argv[2:]
    while rest and rest[0] != "--":
        name, _, value = rest.pop(0)[2:].partition("=")
        found[name] = value or "true"
    return found, rest[1]


OPT, DATA = options()
FAULT, _, WHEN = OPT.get("fault", "none:-1").partition(":")
WHEN = int(WHEN or 0)
N, B = int(OPT.get("samples", "64")), int(OPT.get("batch", "8"))
VIEWS, SLOTS, SEED = int(OPT.get("views", "1")), int(OPT.get("slots", "4")), int(OPT.get("seed", "0"))
RANK, WORLD = int(OPT.get("rank", "0")), int(OPT.get("world-size", "1"))
RING = int(OPT["ring-fd"]) if "ring-fd" in OPT else None
SOFT = OPT.get("soft") == "true"
SUITE = OPT.get("suite")
CLASSES = 10


def align(n, to):
    return -(-n // to) * to


def layout():
    """Fields of a slot and its size."""
    fields, at = [], 64
    for name, dtype, item, shape, axis in (
        ("images", "uint8", 1, [VIEWS, B, 3, 4, 4] if VIEWS > 1 else [B, 3, 4, 4], 1 if VIEWS > 1 else 0),
        ("labels", "int64", 8, [B], 0),
        ("targets", "float32", 4, [B, CLASSES], 0),
        ("index", "int64", 8, [B], 0),
    ):
        if name == "targets" and not SOFT:
            continue
        fields.append({"name": name, "dtype": dtype, "shape": shape, "axis": axis, "offset": at})
        count = item
        for length in shape:
            count *= length
        at = align(at + count, 64)
    return fields, align(at + 8, 4096)


FIELDS, SLOT_BYTES = layout()
sequence = 0
free = queue.Queue()
given = queue.Queue()
outputs = {}


def send(kind, body=b"", payload=b"", slot=0, n=0, epoch=0, batch=0, checksum=0, version=1, magic=b"AMXF"):
    global sequence
    body = json.dumps(body).encode() if isinstance(body, dict) else body
    head = HEAD.pack(magic, version, ord(kind), 0, slot, n, epoch, batch, sequence, len(body), len(payload), checksum)
    head += struct.pack("<I", zlib.crc32(body, zlib.crc32(head)) ^ (FAULT == "check" and kind == "B"))
    sequence += 1
    os.write(1, head + body) if not payload else sys.stdout.buffer.write(head + body + payload)
    sys.stdout.buffer.flush()


def listen():
    """The parent's messages, until it stops."""
    source = sys.stdin.buffer
    while True:
        raw = source.read(32)
        if len(raw) < 32:
            os._exit(0)
        magic, version, kind, _, slot, n, seq, length = struct.unpack("<4sHBBIIQQ", raw)
        assert magic == b"AMXP" and version == 1
        payload = source.read(length)
        if chr(kind) == "F":
            free.put((slot, seq))
        elif chr(kind) == "L":
            given.put((seq, n, payload))


def wait_slot():
    while True:
        try:
            return free.get(timeout=0.5)[0]
        except queue.Empty:
            send("S", {"state": "waiting for a slot"})


def fill(epoch, batch, rows, slot):
    """The bytes of a slot; rows are the samples."""
    n = len(rows)
    block = bytearray(SLOT_BYTES)
    for f in FIELDS:
        if f["name"] == "images":
            raw = b"".join(bytes([(i * 7 + epoch * 31 + v * 3 + SEED) & 255]) * SIDE for v in range(VIEWS) for i in rows)
        elif f["name"] == "labels":
            raw = struct.pack("<%dq" % n, *(i % CLASSES for i in rows))
        elif f["name"] == "targets":
            raw = b"".join(struct.pack("<10f", *(float(c == i % CLASSES) for c in range(CLASSES))) for i in rows)
        else:
            raw = struct.pack("<%dq" % n, *rows)
        block[f["offset"] : f["offset"] + len(raw)] = raw
    struct.pack_into("<4sHHIIQQQ", block, 0, b"AMXS", 1, 0, slot, n, epoch, batch, sequence)
    struct.pack_into("<Q", block, SLOT_BYTES - 8, sequence)
    return block


def fail(epoch, batch, ring):
    """What goes wrong before a batch is sent; only some faults come back from here."""
    if FAULT == "kill":
        print("out of luck\nthe last line\x1b[31m", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if FAULT == "orphan":  # dies, while another program still holds its standard output
        if os.fork():
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(8)
        os._exit(0)
    if FAULT == "garbage":
        os.write(1, b"Welcome to host\n" * 8)
        time.sleep(30)
    if FAULT == "half":
        os.write(1, b"AMXF\x01\x00B")
        os._exit(0)
    if FAULT == "silent":
        time.sleep(30)
    if FAULT == "closed":  # its standard output ends, it does not
        os.close(1)
        time.sleep(30)
    if FAULT == "heartbeats":
        while True:
            send("S", {"state": "making"})
            time.sleep(0.1)
    if FAULT == "exit":
        print("augmix: error: something else", file=sys.stderr, flush=True)
        os._exit(1)
    if FAULT == "error":
        send("X", {"code": "input", "message": "photos/a.jpg: not an image\x1b[2J"})
        os._exit(1)
    if FAULT == "long":
        os.write(1, HEAD.pack(b"AMXF", 1, ord("E"), 0, 0, 0, 0, 0, sequence, 1 << 40, 0, 0) + b"\0\0\0\0")
        time.sleep(30)
    if FAULT == "json":
        send("E", b"[1")
    if FAULT == "kind":
        send("Q")
    if FAULT == "gap":
        globals()["sequence"] += 1
    if FAULT == "shrink" and ring is not None:
        for _ in range(40):  # the parent seals the size when it has read the hello
            if fcntl.fcntl(RING, fcntl.F_GET_SEALS):
                break
            time.sleep(0.05)
        try:
            os.ftruncate(RING, 0)
            print("the ring was cut off", file=sys.stderr, flush=True)
        except OSError as err:
            print("sealed:", err, file=sys.stderr, flush=True)
        os._exit(1)
    if FAULT == "skip":
        return 1
    return 0


def refuse(count):
    for i in range(count):
        send("W", {"index": i, "key": "k%d" % i, "file": "bad%d\x1b[2J.jpg" % i, "reason": "not an image"})


def batch(ring, epoch, number, rows, body=b""):
    """Makes and sends one batch."""
    if number == WHEN:
        number += fail(epoch, number, ring)
        if FAULT == "refused":
            refuse(20)
    slot = wait_slot() if ring is not None else 0
    block = fill(epoch, number, rows, slot)
    if number == WHEN and FAULT == "header":
        block[24] ^= 1
    if number == WHEN and FAULT == "guard":
        block[-1] ^= 1
    checksum = zlib.crc32(block[64:-8]) if OPT.get("checksum") == "true" else 0
    if number == WHEN and FAULT == "pixels":
        block[70] ^= 1
    announced = slot if not (number == WHEN and FAULT == "slot") else 77
    n = len(rows) if not (number == WHEN and FAULT == "many") else B + 1
    if ring is None:
        send("B", body, bytes(block if FAULT != "size" else block[:-1]), announced, n, epoch, number, checksum)
        return
    ring[slot * SLOT_BYTES : (slot + 1) * SLOT_BYTES] = bytes(block)
    send("B", body, b"", announced, n, epoch, number, checksum)
    if number == WHEN and FAULT == "overwrite":  # while the reader has it
        time.sleep(0.15)
        struct.pack_into("<Q", ring, slot * SLOT_BYTES + 32, 999999)
    if number == WHEN and FAULT == "again":
        send("B", body, b"", announced, n, epoch, number + 1, checksum)


def hello(epoch, position):
    body = {
        "protocol": 1, "version": "0.0.fake", "transport": "pipe" if RING is None else "ring", "slots": SLOTS,
        "slot_bytes": SLOT_BYTES, "fields": FIELDS, "samples": N, "batches": N // (B * WORLD),
        "classes": ["c%d" % i for i in range(CLASSES)], "rank": RANK, "world_size": WORLD, "batch": B, "views": VIEWS,
        "epoch": epoch, "position": position, "seed": SEED, "mean": [0.5] * 3, "std": [0.5] * 3,
        "fingerprint": "fake-%s-%d" % (OPT.get("mix", ""), SEED),
    }
    if SUITE:
        body["outputs"] = CLASSES
    if FAULT == "hello":
        body.update(json.loads(OPT["with"]))
    return body


def train(ring, epoch, position):
    send("S", {"state": "reading"})
    refuse(1 if FAULT == "early" else 0)
    send("H", hello(epoch, position))
    first = position // (B * WORLD)
    while "epochs" not in OPT or epoch < int(OPT["epochs"]):
        order = list(range(N))
        random.Random("%d %d" % (SEED, epoch)).shuffle(order)
        for number in range(first, N // (B * WORLD)):
            at = (number * WORLD + RANK) * B
            batch(ring, epoch, number, order[at : at + B])
        send("E", {"epoch": epoch, "samples": N, "refused": 0}, epoch=epoch)
        epoch, first = epoch + 1, 0
    send("Z")


def evaluate(ring):
    """Two forms of all samples; the rows say what came back."""
    send("H", hello(0, 0))
    number, rows = 0, []
    if FAULT == "note":
        print("augmix: data has 10 of the model's 12 classes", file=sys.stderr, flush=True)
    for suite, corruption, severity in (("clean", "", 0), ("c", "fog", 3)):
        right = total = columns = 0
        for at in range(0, N, B):
            members = list(range(at, min(at + B, N)))
            meta = {"suite": suite, "corruption": corruption, "severity": severity, "keys": ["k%d" % i for i in members]}
            mine = sequence
            batch(ring, 0, number, members, json.dumps(meta).encode())
            number += 1
            while True:
                try:
                    seq, n, payload = given.get(timeout=0.5)
                    break
                except queue.Empty:
                    send("S", {"state": "waiting for outputs"})
            if seq != mine:
                os._exit(3)
            columns = len(payload) // 4 // n
            values = struct.unpack("<%df" % (n * columns), payload)
            for row, i in enumerate(members):
                scores = values[row * columns : (row + 1) * columns]
                right += scores.index(max(scores)) == i % CLASSES
                total += 1
        rows.append({"metric": "error", "corruption": corruption, "severity": severity, "value": 100 * (1 - right / total), "n": total})
    for i, row in enumerate(rows):
        send("R", {"out": OPT.get("out", ""), "rows": [row], "more": i + 1 < len(rows)})
    send("Z")


def main():
    if "pid" in OPT:
        with open(OPT["pid"], "w") as f:
            f.write(str(os.getpid()))
    if FAULT == "old":
        sys.exit("augmix: error: unexpected argument feed")
    if FAULT == "usage":
        send("X", {"code": "usage", "message": "--mix nonsense: no such method"})
        sys.exit(2)
    if FAULT == "version":
        send("H", hello(0, 0), version=2)
        time.sleep(30)
    ring = None
    if RING is not None:
        os.ftruncate(RING, SLOTS * SLOT_BYTES if FAULT != "small" else 4096)
        ring = mmap.mmap(RING, SLOTS * SLOT_BYTES) if FAULT != "small" else None
        for slot in range(SLOTS):
            free.put((slot, 0))
    threading.Thread(target=listen, daemon=True).start()
    epoch, _, position = OPT.get("from", "0:0").partition(":")
    if SUITE:
        evaluate(ring)
    else:
        train(ring, int(epoch), int(position))
    os._exit(0)


if __name__ == "__main__":
    main()
