# SPDX-License-Identifier: Apache-2.0
"""What a dry run of code says: that it goes round for ever, what it returns, or nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.dry_runs import UNKNOWN, is_plain, outcomes
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

# Functions whose name begins with "endless" never return; the others return what RETURNED says.
PROGRAM = """
import bisect, collections, datetime, decimal, enum, heapq, math, os, random, re, struct, threading
import time

WEIGHTS = [0, 500, 1000, 2000, 5000]
PARENTS = {1: 2, 2: 3, 3: 1, 4: 4, 5: 4}
NEEDS = {"a": ["b"], "b": ["a"], "c": []}

class Node:
    count = 0
    def __init__(self, name):
        self.name, self.next = name, None
    def step(self):
        self.count = (self.count + 1) % 7
        return self.count

RING = [Node(name) for name in "abc"]
for number, node in enumerate(RING):
    node.next = RING[(number + 1) % 3]
END = Node("end")
CHAIN = Node("begin")
CHAIN.next = END
QUEUE = collections.deque([3, 1, 2])

def halving(weight, step):
    low, high = 0, len(WEIGHTS) - 1
    while low < high:
        middle = (low + high + step) // 2
        if WEIGHTS[middle] <= weight:
            low = middle
        else:
            high = middle - 1
    return low

def halved():
    return halving(1200, 1)
def endless_halving():
    return halving(9000, 0)

def count_nodes(node):
    names, count = WEIGHTS, 0
    while node is not None:
        names.append(node.name)
        count += 1
        node = node.next
    return count

def chain_length():
    return count_nodes(CHAIN)
def endless_ring():
    return count_nodes(RING[1])

def root_of(number):
    while PARENTS[number] != number:
        number = PARENTS[number]
    return number

def root():
    return root_of(5)
def endless_parents():
    return root_of(1)
def endless_zero():
    number = twos = 0
    while number % 2 == 0:
        number //= 2
        twos += 1
    return twos

def twos_of_48():
    number, twos = 48, 0
    while number % 2 == 0:
        number //= 2
        twos += 1
    return twos
def endless_steps():
    turns = 0
    while END.step() < 9:
        turns += 1
    return turns

def until_step():
    turns = 0
    while END.step() != 5:
        turns += 1
    return turns
def endless_rotation():
    rounds = 0
    while QUEUE:
        first = QUEUE.popleft()
        if first > 3:
            return rounds
        QUEUE.append(first)
        rounds += 1

def emptied():
    total = 0
    while QUEUE:
        total = 10 * total + QUEUE.popleft()
    return total
def endless_search():
    at = 0
    while at < len("a;b"):
        at = "a;b".find(";", at) + 1
    return at

def pieces():
    at = count = 0
    while True:
        at = "a;b;c".find(";", at) + 1
        count += 1
        if at == 0:
            return count

def primes():
    count = 0
    for number in range(2, 30):
        for other in (2, 3, 5):
            if number % other == 0 and number != other:
                break
        else:
            count += 1
    return count
def endless_wish():
    waiting = 0
    while True:
        ready = False
        for name in NEEDS:
            for need in NEEDS[name]:
                ready = ready or need == "c"
        if ready:
            return waiting
        waiting += 1
def endless_plan():
    todo, rounds = list(NEEDS), 0
    while True:
        for name in todo:
            for need in NEEDS[name]:
                if need not in todo:
                    return need
        if not isinstance(END, Node):
            return 0
        rounds += 1

def last_of_copies():
    return tuple(WEIGHTS)[-1] + list(WEIGHTS)[1] if isinstance(END, Node) else -1
def endless_float_steps():
    position = 0.0
    while position != 1.0:
        position += 0.1
    return position

def float_steps():
    position = 0.0
    while position != 1.0:
        position += 0.25
    return position
def endless_past_the_limit():
    parcels, weight = 0, 7
    while weight != 30:
        weight += 4
        for size in (1, 2):
            parcels += size
    return parcels
def endless_wrong_way():
    left = 5
    while left <= 5:
        left -= 1
    return left
def endless_odd():
    left = 5
    while left:
        left -= 2
    return left

def far_limit():
    number = 0
    while number < 10 ** 9:
        number += 1
    return number

def two_speeds():
    slow, fast = 10 ** 6, 0
    while fast < slow:
        slow, fast = slow + 1, fast + 2
    return slow

def counting_down():
    left, total = 50, 0.0
    while left > 0:
        left -= 1
        total += left / 2
    return total

def far_away():
    left = 10 ** 12
    while left:
        left -= 1
    return left

class Range:
    def __init__(self, low, high=9):
        self.low, self.high = low, high
    @property
    def width(self):
        return self.high - self.low
    def halves(self):
        middle = self.low + self.width // 2
        return [Range(self.low, middle), Range(middle, self.high)]

def pieces_of(text, room):
    while text:
        piece, text = text[:room], text[room:]
        yield piece

def endless_pieces():
    return sum(len(piece) for piece in pieces_of("a long text", 0))

def length_of_pieces():
    return sum(len(piece) for piece in pieces_of("a long text", room=4))

def endless_writing():
    text, lines = "words", 0
    while text:
        lines += 1
        print("line %d" % lines, f"{lines:3}", str(lines))
        text = text[0:]

def endless_fixpoint():
    todo = ["a", "b", "c"]
    while todo:
        done = [name for name in todo if not any(need in todo for need in NEEDS[name])]
        todo = [name for name in todo if name not in done]
    return len(todo)

def largest_sums():
    numbers = {number: number * number for number in range(5)}
    numbers.update({7: 1}); del numbers[0]
    ordered = sorted(numbers.items(), key=lambda pair: -pair[1])
    first, *others = ordered
    counts = {}
    for key, value in others:
        counts[value % 2] = counts.get(value % 2, 0) + key
    return first[1] * 100 + counts[1] * 10 + max(counts, key=counts.get) + len(ordered) * 1000

def endless_queue():
    waiting, seen = collections.deque([("a", 1), ("b", 2)]), set()
    while waiting:
        name, cost = waiting.popleft()
        seen.add(name)
        for need in NEEDS[name]:
            waiting.append((need, cost))

def visited():
    waiting, seen = collections.deque(["a"]), set()
    while waiting:
        name = waiting.popleft()
        if name in seen:
            continue
        seen.add(name)
        waiting.extend(NEEDS[name])
    return len(seen | {"x"}) * 10 + len(seen - {"a"})

def endless_counts():
    counts = {"turns": 0, "found": 0}
    while counts["found"] < 1:
        counts["turns"] += 1
        for number, name in enumerate(NEEDS, start=2):
            if name == "x":
                counts["found"] += number

def endless_range():
    part = Range(0)
    while part.width > 0:
        part = part.halves()[1]
    return part.low

def narrowed():
    part = Range(0, high=64)
    while part.width > 1:
        part = min(part.halves(), key=lambda half: half.low)
    return part.high

def endless_retries():
    attempts = 0
    while True:
        try:
            return int("seven")
        except ValueError:
            attempts += 1

def words_of_numbers():
    total = 0
    for word in "12 x 30".split():
        try:
            total += int(word)
        except ValueError:
            total += 1000
    return total

def pairs(low, *others, most=3, **named):
    for number in range(low, most):
        yield number, number * len(others) + named.get("more", 0)

def sum_of_pairs():
    known = dict(pairs(0, "x", "y", most=4, more=100))
    return sum(known.values()) + list(known).index(2)

def rotated():
    names, limit, turns = ["a", "b", "c"], 5, 0
    while not (all(name < "d" for name in names) and turns > limit):
        names.append(names.pop(0)); turns += 1
        limit -= 1
    return turns * 10 + names.index("c")

def endless_limit():
    limit = 3
    while any(size > limit for size in (4, 5)):
        limit = min(limit + 1, 4)
    return limit

def endless_rows():
    rows = [[0, 1], [1, 0]]
    while any(0 in row for row in rows):
        rows = [list(reversed(row)) for row in rows]
    return len(rows)

def rounds_of_turns():
    waiting, turns = [iter("ab"), iter("xyz")], 0
    while waiting:
        letters = waiting.pop(0)
        try:
            next(letters)
        except StopIteration:
            continue
        waiting.append(letters)
        turns += 1
    return turns

LOCK = threading.RLock()

def endless_locking():
    turns = 0
    while True:
        with LOCK:
            size = len(QUEUE)
        if size > 3:
            return turns
        turns += 1

ISSUED = {first + last for first in "abc" for last in "abc"}

def code_of(dice):
    return "".join(dice.choice("abc") for _ in range(2))

def endless_draws():
    dice, tries = DICE, 0
    while True:
        code = code_of(dice)
        if code not in ISSUED and random.randint(1, 6) < 7:
            return tries
        tries += 1

def draws():
    while True:
        if code_of(DICE) == "ab":
            return 0

DICE = random.Random(3)

def endless_float_beside():
    hour, warmest, mean = 0.0, 0.0, 0.0
    while hour != 1.0:
        share = hour / 0.8
        mean = (mean + 20 + share * 500) / 2.0
        warmest = max(warmest, min(mean, 90.0))
        hour += 0.1
    return warmest

def growing_shares():
    total, share = 1, 1
    while share / 3 != total:
        total, share = total * 2, share * 2
    return total

def shrinking():
    rest, rounds = 1.0, 0
    while rest > 0:
        rest = rest / 2
        rounds += 1
    return rounds

def leaves(tree):
    for part in tree:
        if isinstance(part, list):
            yield from leaves(part)
        else:
            yield part
    return len(tree)

def counted_leaves(tree):
    count = yield from leaves(tree)
    yield count * 100

def delegated():
    return sum(counted_leaves([1, [2, [3]], 4]))

def steps_of(hours):
    hour = 0.0
    while hour != hours:
        yield hour
        hour += 0.3

def delays(hours):
    yield 7.5
    yield from steps_of(hours)

def endless_delegation():
    last = 0
    for delay in delays(1.0):
        last = delay
    return last

WORD = re.compile(r"(?P<name>[a-z]+)=(\\d*)|(;)")

def matched():
    found = WORD.search("  ab=12;")
    start, end = found.span("name")
    sizes = len(WORD.findall("a=1;b=;"))
    first = re.match("(?P<digits>[0-9]*)", "407x")
    kinds = found.lastindex * 1000000 + (first.lastgroup == "digits") * 10000000
    return kinds + int(found[2]) * 10000 + sizes * 1000 + start * 100 + end * 10 + first.end()

def endless_tokens():
    text, position, tokens = "a=1 b=2", 0, []
    while position < len(text):
        token = WORD.match(text, position)
        if token is not None:
            tokens.append(token.group("name"))
            position = token.end()
    return len(tokens)

def tokens_of_a_text():
    text, position, values = "a=1;b=22;", 0, 0
    while position < len(text):
        token = WORD.match(text, position)
        values += int(token.group(2) or 0)
        position = token.end()
    return values

def shortest():
    near, queue = {}, [(0, "a")]
    roads = {"a": [(7, "c"), (1, "b")], "b": [(2, "c")], "c": [(1, "a")]}
    while queue:
        far, town = heapq.heappop(queue)
        if town not in near:
            near[town] = far
            for more, other in roads[town]:
                heapq.heappush(queue, (far + more, other))
    return near["c"]

def endless_visits():
    queue, began = [(0, "a")], time.monotonic()
    while queue:
        far, town = heapq.heappop(queue)
        if town != "c":
            heapq.heappush(queue, (far, "b"))
    return time.monotonic() - began

class Countdown:
    def __init__(self, first, step):
        self.first, self.step = first, step
    def __iter__(self):
        while self.first:
            yield self.first
            self.first -= self.step

def counted_down():
    return sum(Countdown(6, 2))

def endless_countdown():
    return sum(1 for each in Countdown(6, 0))

def cut_and_filled():
    line = [1, 2, 3, 4]
    line[1:3] = [9]
    return line[1] * 10 + len(line)

RIGHTS = {0: 1, 5: 30, 8: 500}

def rights_in(mask):
    granted, place = 0, 0
    while mask:
        if mask & 1 and place in RIGHTS:
            granted += RIGHTS[place]
        mask >>= 1
        place += 1
    return granted

def rights():
    return rights_in(0x121)

def endless_rights():
    return rights_in(-0x121)

PASSED = collections.Counter()

class Trams:
    def __init__(self, metres):
        self.calendar, self.passed, self.metres = [(0, 1)], PASSED, metres
    def arrival(self, minute, line, pause=0):
        self.passed[line] += 1
        return minute + self.metres // 300 + pause, line
    def lateness(self, event):
        return -event[0]
    def run(self):
        while self.calendar[0][0] < 9:
            event = max(self.calendar, key=self.lateness)
            self.calendar[0] = self.arrival(*event, **{"pause": 0})
        return self.passed[1] * 10 + self.passed["none"]

def passed_trams():
    return Trams(900).run()

def endless_trams():
    return Trams(220).run()

Record = collections.namedtuple("Record", "moment height")
RECORDS = [Record(number * 1.5, 9 - number) for number in range(6)]

def values_in(data):
    at, values = 0, []
    while at + 2 <= len(data):
        kind, size = data[at], data[at + 1]
        if kind in b"\\x01\\x07":
            values.append(sum(data[at + 2 : at + size]))
        at += size
    return sum(values) + (data[:2] + data[-1:] == b"\\x01\\x04" + b"\\x02")

def fields():
    return values_in(b"\\x01\\x04\\x05\\x06\\x07\\x03\\x09\\x03\\x02\\x02")

def endless_fields():
    return values_in(b"\\x01\\x04\\x05\\x06\\x07\\x00\\x09")

PACKETS, STUCK = bytearray(b"\\x00\\x03a\\x00\\x02"), bytearray(b"\\x00\\x03a\\x00\\x00")

def unpacked(data):
    taken = 0
    while data:
        (size,) = struct.unpack_from(">H", data)
        del data[:size]
        taken += 1
    return taken

def packets():
    return unpacked(PACKETS)

def endless_packets():
    return unpacked(STUCK)

def height_at(moment):
    after = bisect.bisect_right([record.moment for record in RECORDS], moment)
    return RECORDS[min(after, 5)].height

def heights():
    return sum([height_at(number * 2.0) for number in range(5)])

def endless_flight():
    moment = 1.7e18
    while height_at(moment) < 5 and moment < 1.7e18 + 2e6:
        moment += 80.0
    return moment

def bits_of():
    found, free = [], 0b10110 & ~2 | 1 << 6
    while free:
        lowest = free & -free
        free &= ~lowest
        found.append(lowest)
    return sum(found)

def iterated():
    numbers = iter([4, 5, 6])
    first = next(numbers)
    return first * 100 + sum(numbers) + next(numbers, 1000)

class Stale(LookupError): pass
class Gone(Stale): pass
class Light(enum.Enum): RED, AMBER, GREEN = 1, 2, 3
AFTER = {Light.RED: Light.AMBER, Light.AMBER: Light.RED}
DAY, CENT = datetime.date(2024, 2, 28), decimal.Decimal("0.01")
def version(number):
    if number % 3: raise Gone(number)
    return number
def tried(number):
    try:
        try: return version(number)
        except ZeroDivisionError: return 0
    except (KeyError, Stale) as error: return 1
def tries():
    return tried(7) * 10 + tried(9)
def endless_tries():
    while tried(7) < 9: pass
def endless_lights():
    light = Light.RED
    while light is not Light.GREEN and light.value < 3:
        light = AFTER[light]
def days():
    day, number = DAY, 0
    while day.month < 3:
        day, number = day + datetime.timedelta(days=1), number + 1
    return number ** 3 + day.day
def endless_cents():
    left = 100 * CENT
    while left:
        left -= (left / 3).quantize(CENT)
def endless_sweep():
    angle, brightest = 0.0, 0.0
    while angle != 1.0:
        angle, brightest = angle + 0.3, max(brightest, abs(math.sin(angle)))

if __name__ == "__main__":
    open("ready", "w").close()
    while True:
        os.getpid()
"""
RETURNED = {
    "halved": 2, "chain_length": 2, "root": 4, "twos_of_48": 4, "until_step": 4, "emptied": 312,
    "pieces": 3, "primes": 10, "counting_down": 612.5, "far_away": UNKNOWN, "float_steps": 1.0,
    "last_of_copies": 5500, "length_of_pieces": 11, "largest_sums": 6711, "visited": 31,
    "narrowed": 1, "words_of_numbers": 1042, "sum_of_pairs": 414, "rotated": 32, "iterated": 1411,
    "draws": UNKNOWN, "rounds_of_turns": 5,
    "far_limit": UNKNOWN, "two_speeds": UNKNOWN,
    "growing_shares": UNKNOWN, "shrinking": 1075, "delegated": 310, "matched": 12124243,
    "tokens_of_a_text": 23, "shortest": 3, "cut_and_filled": 93,
    "counted_down": 12, "rights": 531, "passed_trams": 30,
    "fields": 21, "packets": 2, "heights": 29, "bits_of": 84, "tries": 19, "days": 9,
}  # fmt: skip


@pytest.mark.parametrize(
    "one", spread("dry run", is_plain, every=2), ids=lambda interpreter: interpreter.id
)
def test_functions_of_a_core(one: Interpreter, tmp_path: Path) -> None:
    need_core_dumps()
    names = [node.name for node in ast.parse(PROGRAM).body if isinstance(node, ast.FunctionDef)]
    names = [name for name in names if name in RETURNED or name.startswith("endless")]
    assert len(names) > 15
    expected = {name: RETURNED.get(name, "endless") for name in names}
    if one.minor < (3, 9):  # a `with` block ends by other instructions
        expected.update(dict.fromkeys(("endless_locking", "endless_tries", "tries"), UNKNOWN))
    assert outcomes(one, tmp_path, PROGRAM, names) == expected
