# SPDX-License-Identifier: Apache-2.0
"""A notebook of chess studies: lazily computed columns can be wound back to other moves."""

from dataclasses import dataclass, field


@dataclass
class Study:
    title: str
    moves: list = field(default_factory=list)


class Replay:
    def __init__(self, study):
        self.study = study
        self.lengths = (len(move) for move in study.moves)

    def take(self, count):
        return [length for length, _ in zip(self.lengths, range(count))]

    def wind_back(self, moves):
        self.lengths.gi_frame.f_locals[".0"] = moves

    def rest(self):
        return list(self.lengths)


def main():
    study = Study("two rooks", ["Ra1", "Kg8", "Rb7", "Kf8", "Ra8#"])
    replay = Replay(study)
    print(replay.rest(), flush=True)
    again = Replay(study)
    again.wind_back(study.moves[1:])
    print(again.rest(), flush=True)


main()
