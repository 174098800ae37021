"""Messages on a stream: four digits with the length, then the text."""


def send(connection, text):
    head = b"%04d" % len(text)
    connection.sendall(head + text.strip().encode())


def receive_exactly(connection, wanted):
    received = b""
    while len(received) < wanted:
        data = connection.recv(wanted - len(received))
        if not data:
            break
        received += data
    return received


def receive(connection):
    head = receive_exactly(connection, 4)
    if len(head) < 4:
        return None
    return receive_exactly(connection, int(head)).decode()
