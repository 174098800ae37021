"""Training ship: reduces the sextant sights of the cadets with a C++ library."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(HERE, "sextant.so"))
library.sextant_reduce.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_double)]


class BadLog(Exception):
    pass


def reduce_sights(sights, hands=2):
    """Return the mean altitude; sights are pairs of a star and what was read."""
    log = "\n".join(f"{star} {reading}" for star, reading in sights)
    mean = ctypes.c_double()
    status = library.sextant_reduce(log.encode(), hands, ctypes.byref(mean))
    if status != 0:
        raise BadLog(f"status {status}")
    return mean.value


WATCHES = {
    "first": [("Vega", "41.25"), ("Deneb", "38.75"), ("Altair", "52.50")],
    "middle": [("Capella", "12.75"), ("Arcturus", "27.00"), ("Polaris", "54.25")],
    # The cadet from Kiel writes what he is used to, and where clouds came an n-dash.
    "morning": [("Polaris", "54,50"), ("Mirfak", "\N{EN DASH}"), ("Capella", "31.75")],
    "forenoon": [("Sun", "44.25"), ("Sun", "47.50")],
}


def main():
    means = {}
    for watch, sights in WATCHES.items():
        print(f"{watch} watch: {len(sights)} sights", flush=True)
        try:
            means[watch] = reduce_sights(sights)
        except BadLog as error:
            print(f"{watch} watch is left out: {error}", flush=True)
        else:
            print(f"  mean {means[watch]:.3f} degrees", flush=True)
    print("best:", max(means, key=means.get))


if __name__ == "__main__":
    main()
