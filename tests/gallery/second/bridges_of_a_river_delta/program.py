# SPDX-License-Identifier: Apache-2.0
"""Finds the bridges of a river delta that most of the shortest ways lead over."""

import os
import random
from pathlib import Path

import networkx as nx


def draw_delta(islands, seed):
    delta = nx.connected_watts_strogatz_graph(islands, 6, 0.1, seed=seed)
    lengths = random.Random(seed)
    for _, _, bridge in delta.edges(data=True):
        bridge["metres"] = lengths.randint(40, 900)
    return delta


def busiest_bridges(delta, count):
    load = nx.edge_betweenness_centrality(delta, weight="metres")
    return sorted(load, key=load.get, reverse=True)[:count]


def main():
    delta = draw_delta(islands=3000, seed=17)
    Path("ready").write_text(f"{os.getpid()}\n")
    for left, right in busiest_bridges(delta, 10):
        print(left, "-", right)


if __name__ == "__main__":
    main()
