# SPDX-License-Identifier: Apache-2.0
"""The scale in the yard: answers whoever asks for a weight."""

import os

import zmq


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    scale = zmq.Context().socket(zmq.REP)
    scale.bind("tcp://127.0.0.1:*")
    tell()
    while True:
        question = scale.recv()
        scale.send_json({"kg": len(question)})


main()
