#!/usr/bin/env python3
"""Writes joined.txt: weights between pieces, and the groups that joining and moving them by mutual information must give,
computed as the definition says, every information from scratch. Per case: pieces and groups, the matrix, the group of each
piece after joining alone and after moving too, and the information of the result."""
from itertools import combinations
from pathlib import Path

import numpy as np


def information(J):
    def sum_of(p):
        return (p[p > 0] * np.log(p[p > 0])).sum()
    return sum_of(J) - sum_of(J.sum(0)) - sum_of(J.sum(1))


def of_groups(J, group):
    S = np.eye(group.max() + 1)[group]
    return information(S.T @ J @ S)


def joined(J, k):
    group = np.arange(len(J))
    while group.max() + 1 > k:
        tries = [np.where(group == b, a, group - (group > b)) for a, b in combinations(range(group.max() + 1), 2)]
        group = max(tries, key=lambda g: of_groups(J, g))  # the first of several alike
    return group


def moved(J, group):
    group, k = group.copy(), group.max() + 1
    for _ in range(20):
        before = group.copy()
        for i in range(len(J)):
            if (group == group[i]).sum() < 2:
                continue
            now = of_groups(J, group)
            gains = [of_groups(J, np.where(np.arange(len(J)) == i, c, group)) - now for c in range(k)]
            if max(gains) > 1e-10:
                group[i] = int(np.argmax(gains))
        if (group == before).all():
            break
    return group


def case(m, k, kinds, noise, seed):
    """Pieces of several kinds, of unequal size; ties between kinds are noise."""
    rng = np.random.default_rng(seed)
    kind, size = rng.integers(kinds, size=m), rng.uniform(0.3, 3, m)
    w = (noise * rng.exponential(size=(m, m)) + (kind[:, None] == kind) * rng.exponential(size=(m, m))) * np.outer(size, size)
    w = w + w.T + np.diag(4 * size * size)
    w[w < 0.02] = 0
    return np.round(w, 6), k


cases = [case(6, 3, 3, .02, 0), case(12, 4, 4, .05, 1), case(20, 3, 5, .1, 2), case(30, 5, 12, .3, 6), case(24, 4, 8, .3, 4),
         case(24, 10, 3, .05, 3), case(18, 2, 5, .4, 3)]
with open(Path(__file__).parent / "joined.txt", "w") as file:
    for w, k in cases:
        J = w / w.sum()
        first = joined(J, k)
        last = moved(J, first)
        print(len(w), k, file=file)
        for row in w:
            print(*(f"{x:.6f}" for x in row), file=file)
        print(*first, file=file)
        print(*last, file=file)
        print(f"{of_groups(J, last):.12f}", file=file)
        print(len(w), k, (first != last).sum(), "moved")
