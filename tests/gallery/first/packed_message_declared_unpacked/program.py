# SPDX-License-Identifier: Apache-2.0
"""A broker's library passes messages as packed structs; the binding declares the fields in order
but forgets _pack_, and so takes the topic's pointer from seven bytes too far."""

import ctypes
import os

broker = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "broker.so"))


class Message(ctypes.Structure):
    _fields_ = [
        ("priority", ctypes.c_uint8),
        ("topic", ctypes.c_char_p),
        ("size", ctypes.c_uint32),
        ("number", ctypes.c_uint64),
    ]


broker.next_message.restype = ctypes.POINTER(Message)


class Subscription:
    def __init__(self, prefix):
        self.prefix = prefix

    def matches(self, message):
        return message.topic.startswith(self.prefix)


def messages():
    while message := broker.next_message():
        yield message.contents


def dispatch(subscription):
    return sum(subscription.matches(message) for message in messages())


def main():
    print(dispatch(Subscription(b"orders/")))


main()
