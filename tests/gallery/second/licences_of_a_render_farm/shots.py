# SPDX-License-Identifier: Apache-2.0
import random
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Shot:
    name: str
    width: int
    height: int

    def trace(self):
        dice = random.Random(self.name)
        return [dice.random() for _ in range(self.width * self.height)]

    def halved(self):
        return replace(self, width=self.width // 2, height=self.height // 2)


def read_shots():
    return [Shot("harbour_010", 80, 50), Shot("storm_020", 400, 300), Shot("dawn_030", 64, 48)]
