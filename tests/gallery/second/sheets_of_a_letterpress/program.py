# SPDX-License-Identifier: Apache-2.0
"""Sheets of a letterpress: setting and proofing use the one press of the workshop."""

import os
import time
from pathlib import Path

import anyio
from anyio import CapacityLimiter, from_thread, to_thread


class Workshop:
    def __init__(self, presses):
        self.presses = CapacityLimiter(presses)
        self.proofs = []

    async def print_sheet(self, sheet):
        await to_thread.run_sync(self.set_type, sheet, limiter=self.presses)

    def set_type(self, sheet):
        time.sleep(0.05)
        if len(sheet) > 8:
            from_thread.run(self.proof, sheet)

    async def proof(self, sheet):
        await to_thread.run_sync(self.pull_proof, sheet, limiter=self.presses)

    def pull_proof(self, sheet):
        self.proofs.append(sheet.upper())


async def main():
    workshop = Workshop(presses=1)
    Path("ready").write_text(f"{os.getpid()}\n")
    async with anyio.create_task_group() as tasks:
        for sheet in ("menu", "invitation", "card"):
            tasks.start_soon(workshop.print_sheet, sheet)
    print(workshop.proofs)


if __name__ == "__main__":
    anyio.run(main, backend="trio")
