# SPDX-License-Identifier: Apache-2.0
"""Ordinary programs of many kinds: each fills memory as its kind does, then rests or works on.

python ordinary.py NAME: a line on standard output says that it is ready.
"""

import sys
import time

SIZE = 4000


def parsed_json():
    import json

    text = json.dumps([{"id": n, "name": f"item {n}", "tags": ["a", "b"]} for n in range(SIZE)])
    return json.loads(text)


def database():
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a integer primary key, b text)")
    connection.executemany("insert into t values (?, ?)", [(n, str(n)) for n in range(SIZE)])
    return connection, connection.execute("select * from t order by b").fetchall()


def compressed():
    import bz2
    import zlib

    data = bytes(range(256)) * SIZE
    return [zlib.compress(data, level) for level in range(1, 9)], bz2.compress(data)


def expressions():
    import re

    words = [f"word{n}" for n in range(300)]
    return [re.compile("|".join(words[n : n + 20])) for n in range(200)]


def server():
    import http.server
    import threading

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made


def event_loop():
    import asyncio

    async def sleeper(number):
        await asyncio.sleep(3600 + number)

    async def main():
        made = [asyncio.ensure_future(sleeper(n)) for n in range(500)]
        await asyncio.sleep(0.1)
        ready()
        await asyncio.gather(*made)

    asyncio.run(main())


def threads():
    import queue
    import threading

    work = queue.Queue()
    made = [threading.Thread(target=work.get, daemon=True) for _ in range(16)]
    for one in made:
        one.start()
    return work, made


def worker_pool():
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(8)
    return pool, list(pool.map(str, range(SIZE)))


def decimals():
    from decimal import Decimal, getcontext

    getcontext().prec = 60
    return [Decimal(n).sqrt() for n in range(SIZE)]


def table():
    import csv
    import io

    text = "\n".join(f"{n},{n * 2},name {n}" for n in range(SIZE))
    return list(csv.DictReader(io.StringIO(text), ["a", "b", "c"]))


def document():
    import xml.etree.ElementTree as tree

    return tree.fromstring("<r>" + "".join(f"<i n='{n}'>{n}</i>" for n in range(SIZE)) + "</r>")


def pickled():
    import pickle

    data = {n: (n, str(n), [n] * 5) for n in range(SIZE)}
    return pickle.loads(pickle.dumps(data)), pickle.dumps(data, 2)


class Record:
    def __init__(self, number):
        self.number, self.name, self.parent = number, f"record {number}", None


def objects():
    made = [Record(n) for n in range(SIZE)]
    for one, other in zip(made, made[1:]):
        one.parent = other
    return made


def collections_of_all_kinds():
    import collections
    import heapq

    counter = collections.Counter(f"key{n % 700}" for n in range(SIZE))
    heap = [(n * 7919 % SIZE, str(n)) for n in range(SIZE)]
    heapq.heapify(heap)
    deque = collections.deque(range(SIZE), maxlen=900)
    ordered = collections.OrderedDict((str(n), n) for n in range(SIZE))
    return counter, heap, deque, ordered, collections.defaultdict(list, {1: [2]})


def sets():
    return [frozenset(range(n, n + 40)) for n in range(SIZE)], {str(n) for n in range(SIZE)}


def floats():
    import array
    import random

    numbers = random.Random(7)
    return array.array("d", (numbers.random() for _ in range(SIZE * 10))), [
        numbers.gauss(0, 1) for _ in range(SIZE)
    ]


def digests():
    import hashlib

    return [hashlib.sha256(str(n).encode()).digest() for n in range(SIZE)]


def foreign_functions():
    import ctypes

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_void_p)]

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(abs)
    return (Pair * 500)(), callback, ctypes.create_string_buffer(65536), ctypes.CDLL(None).strlen


def compiled_code():
    import ast

    text = "\n".join(f"def f{n}(a, b={n}):\n    return a + b * {n}" for n in range(400))
    made = compile(ast.parse(text), "generated.py", "exec")
    space = {}
    exec(made, space)
    return ast.parse(text), space


def differences():
    import difflib

    one, other = [str(n) for n in range(500)], [str(n) for n in range(0, 1000, 2)]
    return list(difflib.unified_diff(one, other)), difflib.SequenceMatcher(None, one, other)


def messages():
    import email
    import html.parser
    import urllib.parse

    mail = email.message_from_string("Subject: x\nTo: a@b\n\n" + "line\n" * 500)
    links = [urllib.parse.urlsplit(f"http://host{n}/a?b={n}#c") for n in range(SIZE)]
    return mail, links, html.parser.HTMLParser()


def logs():
    import io
    import logging

    stream = io.StringIO()
    logger = logging.getLogger("app")
    logger.addHandler(logging.StreamHandler(stream))
    for number in range(SIZE):
        logger.warning("event %d", number)
    return stream, logger


def mapped():
    import mmap
    import tempfile

    file = tempfile.TemporaryFile()
    file.write(b"block" * 50000)
    file.flush()
    return file, mmap.mmap(file.fileno(), 0), memoryview(bytearray(1 << 20))


def dates():
    import datetime
    import fractions

    start = datetime.datetime(2020, 1, 1)
    days = [start + datetime.timedelta(hours=n) for n in range(SIZE)]
    return days, [fractions.Fraction(n, 7) for n in range(SIZE)]


def generators():
    def count(number):
        while True:
            number += 1
            yield number

    made = [count(n) for n in range(1000)]
    return made, [next(one) for one in made]


def weak_references():
    import weakref

    kept = [Record(n) for n in range(1000)]
    return (
        kept,
        weakref.WeakValueDictionary((one.name, one) for one in kept),
        [weakref.ref(one) for one in kept],
    )


def texts():
    return ["ä" * n + "日本" for n in range(800)], [chr(0x1F600 + n % 60) * 9 for n in range(900)]


def big_numbers():
    return [3**n for n in range(1200)], [1 << n for n in range(1500)], [~n for n in range(SIZE)]


def children():
    import subprocess

    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def exceptions():
    kept = []
    for number in range(600):
        try:
            {}[number]
        except KeyError as error:
            kept.append(error)
    return kept


def modules():
    import importlib

    names = (
        "calendar configparser cmd code copy glob gzip imaplib ipaddress locale mailbox optparse"
    )
    names += (
        " pdb plistlib pprint profile pydoc queue sched secrets shlex smtplib statistics tarfile"
    )
    names += " textwrap timeit trace typing unittest uuid wave zipfile"
    return [importlib.import_module(name) for name in names.split()]


def busy():
    ready()
    total = 0
    while True:
        total = sum(number * number for number in range(1000)) + total % 7


KINDS = {
    name: function
    for name, function in sorted(globals().items())
    if callable(function) and getattr(function, "__code__", None) and name != "ready"
}


def ready():
    print("ready", flush=True)


if __name__ == "__main__":
    kept = KINDS[sys.argv[1]]()
    ready()
    time.sleep(600)
