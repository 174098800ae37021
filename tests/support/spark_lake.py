# SPDX-License-Identifier: Apache-2.0
"""Ask a lake by Spark SQL, on a cluster of this machine: the cells, and `fleet seen`.

python spark_lake.py LAKE KIND KEY

Run by an interpreter that has pyspark, and nothing else of ours but the tree. Prints one JSON
object: how many workers there were, how long the cells took, the cells, the words of `seen`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

from gdb_epi.fleet.lake.manifest import read_manifest
from gdb_epi.fleet.questions.signature_history import history_lines, read_signature_history
from support.lake_cells import read_cells

TABLES = ("crash", "sig", "host", "mark", "meta")  # what these two questions read
CLUSTER = "local-cluster[2,1,1024]"  # two workers, processes of their own, a core and 1 GB each


def main(folder: Path, kind: str, key: str) -> None:
    """Ask and print."""
    builder = SparkSession.builder.master(CLUSTER).config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    try:
        tables = read_manifest(folder).tables
        for name in TABLES:
            files = [str(folder / file.name) for file in tables[name].values()]
            spark.read.parquet(*files).createOrReplaceTempView(name)

        def execute(sql, values):
            return [tuple(row) for row in spark.sql(sql, args=dict(values)).collect()]

        start = time.perf_counter()
        counted = sorted(read_cells(execute), key=str)
        took = time.perf_counter() - start
        status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus()
        workers = status.size() - 1  # one of them is this process
        lines = history_lines(read_signature_history(execute, kind, key, {}))
        print(json.dumps({"workers": workers, "took": took, "cells": counted, "seen": lines}))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
