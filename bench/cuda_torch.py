#!/usr/bin/env python3
"""The stages of bench_cuda in PyTorch on the same GPU: what one gets without writing a kernel. Prints JSON, milliseconds."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch

from scattering_torch import Scattering

gpu = torch.device("cuda")
torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(0)


def milliseconds(work, times=5):
    """By events, the median of some after two to warm up."""
    taken = []
    for i in range(times + 2):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        if i >= 2:
            taken.append(begin.elapsed_time(end))
    return sorted(taken)[len(taken) // 2]


def scattering():
    transform = Scattering(32, 3, 8)
    transform.psi = {key: f.to(gpu) for key, f in transform.psi.items()}
    transform.phi = [f.to(gpu) for f in transform.phi]
    images = torch.rand(2048, 32, 32, device=gpu) * 255
    return milliseconds(lambda: transform(images), 3) * 16384 / 2048


def main():
    found = {"scattering 32x32 J=3 L=8": scattering()}
    features = torch.rand(20000, 3472, device=gpu)
    found["equalise: log"] = milliseconds(lambda: torch.log1p(features))

    def moments():
        centred = features - features.mean(0)
        return centred.T @ centred

    found["moments 20000 x 3472"] = milliseconds(moments)
    covariance = moments() / 20000
    found["eigenvectors 3472 by cuSOLVER"] = milliseconds(lambda: torch.linalg.eigh(covariance), 2)
    for d in (300, 1000):
        directions = torch.randn(3472, d, device=gpu)
        found[f"projection 20000 x 3472 -> {d}"] = milliseconds(lambda: features @ directions)
    y, points = torch.randn(70000, 300, device=gpu), torch.randn(4000, 300, device=gpu)

    def neighbours():
        distances = (y * y).sum(1, keepdim=True) + (points * points).sum(1) - 2 * y @ points.T
        return torch.topk(distances, 5, largest=False)

    found["neighbours 70000 x 300, 4000"] = milliseconds(neighbours)
    labels = torch.randint(0, 10, (70000,), device=gpu)

    def whitening():
        means = torch.zeros(10, 300, device=gpu).index_add_(0, labels, y) / torch.bincount(labels, minlength=10)[:, None]
        rest = y - means[labels]
        values, vectors = torch.linalg.eigh(rest.T @ rest / 70000)
        return vectors / (values + 0.1 * values.mean()).sqrt() @ vectors.T

    found["whitening 70000 x 300"] = milliseconds(whitening)
    print(json.dumps(found))


main()
