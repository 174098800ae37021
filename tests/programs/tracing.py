# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "tracing-trace", "arguments": ["trace"]}
# corpus: {"name": "tracing-opcodes", "arguments": ["opcodes"]}
# corpus: {"name": "tracing-profile", "arguments": ["profile"]}
# corpus: {"name": "tracing-inside", "arguments": ["inside"]}
# corpus: {"name": "tracing-monitoring", "arguments": ["monitoring"], "oldest": [3, 12]}
# corpus: {"name": "tracing-callback", "arguments": ["callback"], "oldest": [3, 12]}
"""Die in code that is traced, profiled or monitored (instrumented bytecode), or in the tracer."""

import sys
import threading

import deathbed


def leaf(way):
    total = 0
    for number in range(4):
        total += number
    deathbed.die(way) if way else None
    return total


def generator(way):
    yield leaf(None)
    yield from (leaf(way) for _ in range(2))


def work(way):
    found = []
    for item in generator(way):
        found.append(item)
        found = sorted(found, key=lambda one: -one)
    return found


def tracer(frame, event, argument):
    return tracer


def opcode_tracer(frame, event, argument):
    frame.f_trace_opcodes = True
    return opcode_tracer


def profiler(frame, event, argument):
    return None


def inside(way):
    """Return a tracer that dies at the last line of `leaf`."""

    def local(frame, event, argument):
        if event == "return" and frame.f_code.co_name == "leaf":
            deathbed.die(way)
        return local

    return local


def monitor(action):
    """Ask for every event of all code."""
    monitoring = sys.monitoring
    monitoring.use_tool_id(3, "epi")
    events = monitoring.events
    chosen = events.LINE | events.CALL | events.PY_START | events.PY_RETURN | events.PY_YIELD
    chosen |= events.JUMP | events.INSTRUCTION
    monitoring.set_events(3, chosen)
    for event in (events.LINE, events.CALL, events.PY_START, events.INSTRUCTION, events.PY_YIELD):
        monitoring.register_callback(3, event, action)


def callback(way):
    seen = []

    def on_event(code, *where):
        seen.append(code.co_name)
        if seen.count("leaf") == 40:
            sys.monitoring.set_events(3, 0)
            deathbed.die(way)

    return on_event


def main(kind):
    way = deathbed.prepare("raise")
    if kind == "trace":
        threading.settrace(tracer)
        sys.settrace(tracer)
    elif kind == "opcodes":
        sys.settrace(opcode_tracer)
    elif kind == "profile":
        threading.setprofile(profiler)
        sys.setprofile(profiler)
    elif kind == "inside":
        sys.settrace(inside(way))
    elif kind == "monitoring":
        monitor(lambda code, *where: None)
    elif kind == "callback":
        monitor(callback(way))
    work(way)


if __name__ == "__main__":
    main(sys.argv[2])
