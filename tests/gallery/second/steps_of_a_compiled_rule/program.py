# SPDX-License-Identifier: Apache-2.0
"""Rules of a firewall as Python functions, whose counters are to be shared between rules."""

import dis


def template(packet, port, limit):
    size = packet["size"]
    if packet["port"] == port:
        return size > limit
    return size > 9 * limit


def shared(function, name):
    """Return the function with one of its variables read from where all rules can see it."""
    old = function.__code__
    number = old.co_varnames.index(name)
    code = bytearray(old.co_code)
    for at in range(0, len(code), 2):
        if code[at] == dis.opmap["LOAD_FAST"] and code[at + 1] == number:
            code[at] = dis.opmap["LOAD_DEREF"]
    function.__code__ = old.replace(co_code=bytes(code))
    return function


def count(rule, packets):
    return sum(rule(packet, 25, 100) for packet in packets)


def main():
    packets = [{"size": n * 40 % 1460 + 40, "port": n % 400} for n in range(2000)]
    print(count(template, packets), flush=True)
    print(count(shared(template, "size"), packets))


main()
