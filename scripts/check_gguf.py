#!/usr/bin/env python3
"""Opens a policy net with the Python package `gguf` and compares it with what `tabiya policy info` says.

    pip install gguf
    python3 scripts/check_gguf.py NET.gguf [TABIYA]

The package is the reference reader of the format, written by its authors; so this shows that our
files are files of that format and not merely readable by our own reader. With the program as second
argument, every key and tensor it prints must be the package's, too.
"""

import subprocess
import sys

import gguf
import numpy as np

FNV_START, FNV_PRIME, MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def fnv1a(data):
    """The 64-bit FNV-1a hash, in the slow and plain way."""
    value = FNV_START
    for byte in data:
        value = ((value ^ byte) * FNV_PRIME) & MASK
    return value


def main():
    path = sys.argv[1]
    reader = gguf.GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    assert fields["general.architecture"] == "policynet", fields["general.architecture"]
    data = open(path, "rb").read()[reader.data_offset :]
    assert fnv1a(data) == fields["policynet.checksum"], "checksum"

    ternary = 0
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        assert np.isfinite(values).all(), tensor.name
        if tensor.tensor_type == gguf.GGMLQuantizationType.TQ2_0:
            gamma = np.abs(values).max()
            assert set(np.unique(values)) <= {-gamma, np.float32(0), gamma}, tensor.name
            ternary += 1

    if len(sys.argv) > 2:
        told = subprocess.run([sys.argv[2], "policy", "info", "--all", path], capture_output=True, text=True, check=True)
        lines = {line.split()[0]: line.split()[1:] for line in told.stdout.splitlines() if line.strip()}
        for name in fields:
            assert name in lines, f"{name} is not in the output of policy info"
        for tensor in reader.tensors:
            kind, *dims = lines[tensor.name]
            dims = [int(dim.strip("{},")) for dim in dims]
            assert kind == tensor.tensor_type.name and dims == [int(n) for n in tensor.shape], (tensor.name, kind, dims)

    print(f"{path}: {len(fields)} keys, {len(reader.tensors)} tensors, {ternary} of them ternary, checksum holds")


if __name__ == "__main__":
    main()
