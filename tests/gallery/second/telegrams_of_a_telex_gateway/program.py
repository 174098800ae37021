# SPDX-License-Identifier: Apache-2.0
"""Seals the telegrams that leave through a telex gateway."""

import queue
import threading

import telex


def sender(outbox, sent):
    while True:
        text = outbox.get()
        if text is None:
            return
        sent.append(telex.seal(text))


def main():
    outbox, sent = queue.Queue(), []
    thread = threading.Thread(target=sender, args=(outbox, sent), name="telex-sender")
    thread.start()
    for number in range(20):
        outbox.put("ZCZC %04d ARRIVING MONDAY STOP SEND CAR STOP NNNN" % number)
    outbox.put(None)
    thread.join()
    print("\n".join(sent))


if __name__ == "__main__":
    main()
