"""Translation office: sentences are aligned by a helper process, asked over a multiprocessing pipe."""

import logging
import multiprocessing
import os
import sys
import threading

logging.basicConfig(
    stream=sys.stdout, level=logging.INFO, format="%(processName)s %(threadName)s %(message)s"
)
log = logging.getLogger("memory")

PAIRS = [
    ("The kettle is on.", "Der Kessel steht auf dem Herd."),
    ("Mind the gap.", "Vorsicht an der Kante."),
    ("Please do not feed the ducks.", "Bitte die Enten nicht füttern."),
]


def similarity(source, target, rounds):
    """Iterations of a word alignment (slow for long sentences: quadratic, and many rounds)."""
    left, right = source.split(), target.split()
    weights = {(a, b): 1.0 / len(right) for a in left for b in right}
    for _ in range(rounds):
        total = dict.fromkeys(right, 0.0)
        for (_, b), weight in weights.items():
            total[b] += weight
        weights = {(a, b): weight / total[b] for (a, b), weight in weights.items()}
    return sum(weights.values()) / len(weights)


def aligner(connection):
    while True:
        request = connection.recv()
        if request is None:
            return
        number, source, target = request
        rounds = 10 ** (len(source) // 4 + 1)
        connection.send((number, similarity(source, target, rounds)))


class Memory:
    def __init__(self):
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=aligner, args=(theirs,), name="aligner", daemon=True
        )
        self.process.start()
        theirs.close()
        self.units = {}

    def ask(self, number, source, target):
        self.connection.send((number, source, target))
        answered, score = self.connection.recv()
        assert answered == number
        return score

    def add(self, source, target):
        number = len(self.units)
        score = self.ask(number, source, target)
        self.units[number] = (source, target, score)
        log.info("unit %d: %.4f", number, score)

    def close(self):
        self.connection.send(None)
        self.process.join()


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    memory = Memory()
    memory.add("Tea?", "Tee?")
    memory.add("No.", "Nein.")
    threading.Timer(1.5, announce).start()
    for source, target in PAIRS:
        memory.add(source, target)
    memory.close()
    for number, (source, _, score) in sorted(memory.units.items()):
        print(f"{number:4} {score:.4f} {source}")


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
