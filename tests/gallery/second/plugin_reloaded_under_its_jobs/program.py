# SPDX-License-Identifier: Apache-2.0
"""Reloads the native part of a converter while jobs of the old one still wait."""

import gc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

PLUGIN = Path(__file__).with_name("converter.so")


def load():
    sys.modules.pop("converter", None)
    loader = importlib.machinery.ExtensionFileLoader("converter", str(PLUGIN))
    spec = importlib.util.spec_from_loader("converter", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules["converter"] = module
    return module


class Workshop:
    def __init__(self):
        self.jobs = []

    def take(self, names):
        converter = load()
        self.jobs += [converter.job(name) for name in names]
        return len(self.jobs)

    def work(self):
        return [job.run() for job in self.jobs]


def main():
    workshop = Workshop()
    workshop.take(["poster", "leaflet"])
    print(workshop.work())
    for night in range(4):
        workshop.take([f"page {night}"])
        gc.collect()
        filler = [bytes(120) for _ in range(500)]
        print(len(filler), workshop.work(), flush=True)


main()
