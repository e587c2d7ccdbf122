#!/usr/bin/env python3
"""The training step of `tabiya train policy` in PyTorch on the CPU, to compare speeds.

The same model (docs/POLICY.md): sums of embedding rows, causal blocks with grouped-query attention
inside a band and rotary embedding, a gated feed-forward part, ternary weights and 8-bit activations
with straight-through gradients, a softmax over the legal moves and a head for win, draw and loss.
AdamW with a limit for the gradient. Batches are made up with the density of real ones (27 pieces and
32 legal moves a position, crops of 16 plies) before the clock starts, which favours PyTorch: `tabiya
train policy` reads its crops from games inside its time. Prints positions per second of whole steps.

    pip install torch numpy
    OMP_NUM_THREADS=2 python3 bench/pytorch_policy.py --shape xs --steps 10
"""

import argparse
import math
import time

import torch
from torch import nn
from torch.nn import functional

SHAPES = {"xs": (256, 4, 512), "s": (256, 8, 768)}
HEADS, KV_HEADS, HEAD, WINDOW = 8, 2, 32, 16
PIECES, STATES, MOVES = 3072, 64, 1880
EPSILON = 1e-5


def round_through(exact, rounded, ramp):
    """The rounded numbers in the forward pass, the exact ones in the backward pass."""
    return exact + ramp * (rounded - exact).detach()


def round_activations(x, ramp):
    largest = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5)
    return round_through(x, torch.round(x * (127 / largest)) * (largest / 127), ramp)


class Ternary(nn.Module):
    """Linear layers that share their input: one product, one scale for each."""

    def __init__(self, inputs, *outputs):
        super().__init__()
        self.outputs = outputs
        self.weight = nn.Parameter(torch.randn(sum(outputs), inputs) / math.sqrt(inputs))

    def forward(self, x, ramp):
        rounded = []
        for part in self.weight.split(self.outputs):
            gamma = part.abs().mean()
            rounded.append(torch.round(part / gamma).clamp(-1, 1) * gamma)
        weight = round_through(self.weight, torch.cat(rounded), ramp)
        return functional.linear(round_activations(x, ramp), weight)


def norm(width):
    return nn.RMSNorm(width, eps=EPSILON)


class Block(nn.Module):
    def __init__(self, width, ffn):
        super().__init__()
        self.ffn = ffn
        queries, keys = HEADS * HEAD, KV_HEADS * HEAD
        self.attn_norm, self.attn_sub_norm = norm(width), norm(queries)
        self.ffn_norm, self.ffn_sub_norm = norm(width), norm(ffn)
        self.qkv = Ternary(width, queries, keys, keys)
        self.output = Ternary(queries, width)
        self.gate_up = Ternary(width, ffn, ffn)
        self.down = Ternary(ffn, width)
        self.attn_scale = nn.Parameter(torch.full((width,), 0.2))
        self.ffn_scale = nn.Parameter(torch.full((width,), 0.2))

    def forward(self, x, turn, ramp):
        crops, plies, _ = x.shape
        rows = self.qkv(self.attn_norm(x), ramp).view(crops, plies, HEADS + 2 * KV_HEADS, HEAD)
        q, k, v = rows.transpose(1, 2).split([HEADS, KV_HEADS, KV_HEADS], dim=1)
        q, k = rotate(q, turn), rotate(k, turn)
        k, v = (part.repeat_interleave(HEADS // KV_HEADS, dim=1) for part in (k, v))
        # Crops are no longer than the window, so the band is the causal mask.
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).reshape(crops, plies, HEADS * HEAD)
        x = x + self.attn_scale * self.output(self.attn_sub_norm(y), ramp)
        gate, up = self.gate_up(self.ffn_norm(x), ramp).split(self.ffn, dim=-1)
        inner = self.ffn_sub_norm(functional.relu(gate).square() * up)
        return x + self.ffn_scale * self.down(inner, ramp)


def rotate(x, turn):
    cos, sin = turn
    low, high = x.chunk(2, dim=-1)
    return torch.cat([low * cos - high * sin, low * sin + high * cos], dim=-1)


class Policy(nn.Module):
    def __init__(self, width, blocks, ffn):
        super().__init__()
        self.piece = nn.EmbeddingBag(PIECES, width, mode="sum")
        self.state = nn.EmbeddingBag(STATES, width, mode="sum")
        self.move = nn.Embedding(MOVES + 1, width)
        self.embd_norm, self.output_norm = norm(width), norm(width)
        self.blocks = nn.ModuleList(Block(width, ffn) for _ in range(blocks))
        self.policy = nn.Embedding(2 * MOVES, width)
        self.policy_bias = nn.Embedding(2 * MOVES, 1)
        self.value = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 3))
        angles = torch.arange(WINDOW)[:, None] * 10000.0 ** (-2 * torch.arange(HEAD // 2) / HEAD)
        self.turn = (angles.cos(), angles.sin())

    def forward(self, batch, ramp):
        tokens = batch["pieces"].shape[0]
        x = self.piece(batch["pieces"]) + self.state(batch["states"]) + self.move(batch["move"])
        x = self.embd_norm(x).view(tokens // WINDOW, WINDOW, -1)
        for block in self.blocks:
            x = block(x, self.turn, ramp)
        h = self.output_norm(x).view(tokens, -1)
        rows = batch["rows"]
        logits = torch.einsum("tmd,td->tm", self.policy(rows), h) + self.policy_bias(rows)[..., 0]
        policy = functional.cross_entropy(logits, batch["played"], label_smoothing=0.03)
        value = functional.cross_entropy(self.value(h), batch["chances"])
        return policy + 0.25 * value


def made_up(tokens):
    return {
        "pieces": torch.randint(PIECES, (tokens, 27)),
        "states": torch.randint(STATES, (tokens, 5)),
        "move": torch.randint(MOVES, (tokens,)),
        "rows": torch.randint(2 * MOVES, (tokens, 32)),
        "played": torch.randint(32, (tokens,)),
        "chances": torch.full((tokens, 3), 1 / 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="xs")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--tokens", type=int, default=4096, help="positions of a step")
    parser.add_argument("--micro", type=int, default=1024, help="positions that go through at once")
    args = parser.parse_args()
    torch.manual_seed(1)
    model = Policy(*SHAPES[args.shape])
    optimiser = torch.optim.AdamW(model.parameters(), lr=1.5e-3, betas=(0.9, 0.95), weight_decay=0.1)
    parts = args.tokens // args.micro
    batches = [made_up(args.micro) for _ in range(parts)]
    times = []
    for _ in range(args.steps + 1):
        start = time.perf_counter()
        optimiser.zero_grad()
        for batch in batches:
            (model(batch, 1.0) / parts).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        times.append(time.perf_counter() - start)
    times = sorted(times[1:])
    count = sum(p.numel() for p in model.parameters())
    print(f"{args.shape}: {count} parameters, {torch.get_num_threads()} threads, PyTorch {torch.__version__}")
    print(f"median {args.tokens / times[len(times) // 2]:.0f} positions/s, best {args.tokens / times[0]:.0f}")


if __name__ == "__main__":
    main()
