#!/usr/bin/env python3
"""The training step of `tabiya train` in PyTorch on the CPU, to compare speeds.

(768 mirrored -> H)x2 -> squared clipped ReLU -> 1, batch 16384, sparse inputs through EmbeddingBag,
squared error of sigmoids, AdamW. Reads a positions file (docs/DATA.md) or makes up batches of the
same density, and prints samples per second of whole steps: forward, backward, optimiser. Batches are
prepared before the clock starts, which favours PyTorch: `tabiya train` prepares them inside its time.

    pip install torch numpy
    OMP_NUM_THREADS=2 python3 bench/pytorch_train.py --data train.pos --hidden 256 512
"""

import argparse
import struct
import time

import numpy as np
import torch

BATCH = 16384
SCALE = 215.0


def read_positions(path, count):
    """The first positions of a file: pieces with squares, side to move, score, result."""
    with open(path, "rb") as file:
        magic, _version = struct.unpack("<8sI", file.read(12))
        if magic != b"TabiyaPs":
            raise SystemExit(f"{path}: not a file of positions")
        for _ in range(2):
            (length,) = struct.unpack("<I", file.read(4))
            file.read(length)
        file.read(4)
        blocks, found = [], 0
        while found < count:
            header = file.read(16)
            if len(header) < 16:
                break
            mark, records, length, _checksum = struct.unpack("<4sIII", header)
            if mark != b"TbBk" or records == 0:
                break
            blocks.append(np.frombuffer(file.read(length), np.uint8).reshape(records, 32))
            found += records
    if found < count:
        raise SystemExit(f"{path}: {found} positions, {count} needed")
    return np.concatenate(blocks)[:count]


def features(records):
    """Indices of the pieces of both sides' views: kind, square, own or other, king on files a to d."""
    bits = np.unpackbits(records[:, :8], axis=1, bitorder="little").astype(bool)
    rows, squares = np.nonzero(bits)
    starts = np.concatenate([[0], np.cumsum(bits.sum(axis=1))])
    rank = np.arange(len(rows)) - starts[rows]
    nibbles = records[rows, 8 + rank // 2] >> (4 * (rank % 2)) & 15
    kind, color = nibbles & 7, nibbles >> 3
    kind = np.where(kind == 6, 3, kind)
    side = (records[:, 24] >> 7)[rows]
    views = []
    for half in (0, 1):
        viewer = side ^ half
        seen = squares ^ np.where(viewer == 1, 56, 0)
        is_king = (kind == 5) & (color == viewer)
        king = np.zeros(len(records), np.int64)
        king[rows[is_king]] = seen[is_king]
        seen = seen ^ np.where((king & 7) > 3, 7, 0)[rows]
        views.append((color != viewer) * 384 + kind * 64 + seen)
    return [torch.from_numpy(view.astype(np.int64)) for view in views], torch.from_numpy(starts[:-1])


def made_up(count, generator):
    """Random views with as many pieces as positions of games have, 20 each."""
    offsets = torch.arange(count) * 20
    return [torch.randint(768, (count * 20,), generator=generator) for _ in (0, 1)], offsets


class Net(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.inputs = torch.nn.EmbeddingBag(768, hidden, mode="sum")
        self.bias = torch.nn.Parameter(torch.full((hidden,), 0.1))
        self.output = torch.nn.Linear(2 * hidden, 1)
        torch.nn.init.normal_(self.inputs.weight, std=0.1)

    def forward(self, views, offsets):
        halves = [self.inputs(view, offsets) + self.bias for view in views]
        return self.output(torch.cat(halves, dim=1).clamp(0, 1).square()).squeeze(1)


def measure(hidden, batches, seconds):
    net = Net(hidden)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01)
    steps, best, start = 0, float("inf"), None
    while start is None or time.perf_counter() - start < seconds:
        views, offsets, target = batches[steps % len(batches)]
        before = time.perf_counter()
        loss = (torch.sigmoid(net(views, offsets)) - target).square().mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if start is None:
            start = time.perf_counter()  # the first step warms up
            continue
        best = min(best, time.perf_counter() - before)
        steps += 1
    rate = steps * BATCH / (time.perf_counter() - start)
    print(f"hidden {hidden}: {rate:.0f} samples/s (fastest step {BATCH / best:.0f}), "
          f"loss {loss.item():.5f} after {steps} steps")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a positions file; made-up positions if missing")
    parser.add_argument("--hidden", type=int, nargs="+", default=[256, 512])
    parser.add_argument("--batches", type=int, default=8, help="different batches")
    parser.add_argument("--seconds", type=float, default=20, help="time for each size")
    args = parser.parse_args()
    generator = torch.Generator().manual_seed(1)
    batches = []
    records = read_positions(args.data, args.batches * BATCH) if args.data else None
    for index in range(args.batches):
        if records is None:
            views, offsets = made_up(BATCH, generator)
            target = torch.rand(BATCH, generator=generator)
        else:
            part = records[index * BATCH:(index + 1) * BATCH]
            views, offsets = features(part)
            score = part[:, 28:30].copy().view("<i2")[:, 0].astype(np.float32)
            target = torch.sigmoid(torch.from_numpy(score) / SCALE)
        batches.append((views, offsets, target))
    pieces = sum(len(views[0]) for views, _, _ in batches) / (BATCH * len(batches))
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {pieces:.1f} pieces")
    for hidden in args.hidden:
        measure(hidden, batches, args.seconds)


if __name__ == "__main__":
    main()
