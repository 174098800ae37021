# SPDX-License-Identifier: Apache-2.0
"""A game server runs plugins in interpreters of their own, and ticks their timers afterwards."""

import plugins

GREETER = "greeting = 'welcome'\nprint(greeting)\n"


def load(code, action):
    plugins.run_plugin(code, action)


def load_world(size):
    return [bytearray(b"\x37") * 4096 for _ in range(size)]


def serve(rounds):
    for _ in range(rounds):
        plugins.tick()


def main():
    load(GREETER, "print('still here')")
    world = load_world(400)
    serve(3)
    print(len(world))


main()
