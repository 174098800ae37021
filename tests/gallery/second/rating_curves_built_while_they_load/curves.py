"""How one curve is computed."""


def power_law(a, zero, exponent, level):
    return a * max(level - zero, 0.0) ** exponent


def build(gauge):
    """Return (level, flow) pairs of a gauge."""
    from ratings import DATUM, GAUGES  # late, for they import each other

    a, zero, exponent = GAUGES[gauge]
    return [(step / 100 + DATUM, power_law(a, zero, exponent, step / 100)) for step in range(600)]
