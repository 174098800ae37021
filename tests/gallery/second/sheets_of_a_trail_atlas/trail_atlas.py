# SPDX-License-Identifier: Apache-2.0
"""The sheets of the atlas, loaded when the module is imported."""

from concurrent.futures import ThreadPoolExecutor

REGIONS = ("fjell", "kyst", "skog", "vidde")
SCALE = 50_000


def load_sheet(region):
    from trail_atlas import SCALE

    return {"region": region, "scale": SCALE, "trails": len(region) * 12}


with ThreadPoolExecutor(2, thread_name_prefix="sheet-loader") as loaders:
    SHEETS = list(loaders.map(load_sheet, REGIONS))
