# SPDX-License-Identifier: Apache-2.0
"""Measure the report: seconds of each part, bytes of the page.

python tests/support/demo_fleet.py big.sqlite3 --crashes 1000000 --hosts 2000 --days 60
python tests/bench/fleet_report.py big.sqlite3
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any


def timed(name: str, work: Callable[[], Any]) -> Any:
    """Run it and print its seconds: of the clock, and of this process."""
    clock, cpu = time.perf_counter(), time.process_time()
    answer = work()
    took = time.perf_counter() - clock
    print(f"| {name} | {took:.1f} | {time.process_time() - cpu:.1f} |")
    sys.stdout.flush()
    return answer


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    args = parser.parse_args()
    print("| part | s | s of CPU |\n|---|---|---|")
    timed("imports", lambda: __import__("gdb_epi.fleet.report.html"))
    from gdb_epi.fleet.population.cache import load_population
    from gdb_epi.fleet.questions.population_verdict import judge_population
    from gdb_epi.fleet.report.build_page import ReportScope, build_page
    from gdb_epi.fleet.report.html import render_page
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.database, write=False) as engine:
        population = timed("read the population", lambda: load_population(engine))
        timed("of which the screening", lambda: judge_population(population, population.last_day))
        page = timed("gather, all of it", lambda: build_page(engine, ReportScope()))
        html = timed("render", lambda: render_page(page))
    sizes = f"{population.day.size:,} crashes, {len(population.hosts):,} hosts"
    print(f"\n{sizes}, {len(page.signatures)} signatures shown: {len(html.encode()):,} bytes")


if __name__ == "__main__":
    main()
