"""Small backends for proxies to stand in front of, and the odd lines that proxies are tried with.

A run starts this file as a program of its own: `peers_backends.py NAME FOLDER ARGUMENTS…`. What a backend has to
leave for the script that started it goes into FOLDER. None outlives LIFE_S, whatever happens.
"""

import os
import signal
import sys
import time

LIFE_S = 150
LAST = "last line without a newline"
DELTA = b'{"type":"assistant_text_delta","sent":%d,"content":"Some words that might be an answer, more or less. "}\n'
AFTER = b'{"after":1}\n'
CASES = {
    "CRLF line": [b'{"a":1}\r\n'],
    "blank line": [b"\n"],
    "non-JSON line": [b"npm WARN deprecated\n"],
    "invalid UTF-8": [b'{"a":"\xff\xc3"}\n'],
    "split code point": [b'{"a":"\xf0\x9f', b'\x98\x80"}\n'],
    "5 MB line": [b'{"a":"' + b"x" * 5_000_000 + b'"}\n'],
    LAST: [b'{"a":'],
}
"""What is written, one write for each piece. All but the last are followed by AFTER, an ordinary line."""


def pieces(case: str) -> list[bytes]:
    return CASES[case] if case == LAST else [*CASES[case], AFTER]


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def talk(_folder: str, count: str, gap_us: str) -> None:
    """Answer a question with *count* events, *gap_us* apart (0: flat out), each with the time it was sent at."""
    gap_ns = int(gap_us) * 1000
    for line in sys.stdin.buffer:
        if b'"init"' in line:
            write(b'{"type":"session_started","session_id":"peers"}\n')
            continue
        due = time.monotonic_ns()
        for _ in range(int(count)):
            if gap_ns:
                due += gap_ns
                time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
            write(DELTA % time.monotonic_ns())
        write(b'{"type":"assistant_message_complete","content":""}\n')


def say(_folder: str, case: str) -> None:
    """Write the pieces of a case; stay until the end of input, unless this was the last line of all."""
    for piece in pieces(case):
        write(piece)
        time.sleep(0 if case == LAST else 0.05)
    if case != LAST:
        sys.stdin.buffer.read()


def hear(folder: str) -> None:
    """Keep in a file what comes, as it comes."""
    with open(f"{folder}/heard", "wb", buffering=0) as file:  # noqa: PTH123 -- pathlib would double the start
        while data := os.read(0, 1 << 16):
            file.write(data)


def late(_folder: str) -> None:
    """Answer 300 ms after the end of input."""
    write(b'{"ready":1}\n')
    sys.stdin.buffer.read()
    time.sleep(0.3)
    write(b'{"late":1}\n')


def leave(_folder: str, how: str) -> None:
    """End when asked to: with an exit code, or by a signal that is given as a negative number."""
    sys.stdin.buffer.readline()
    if int(how) < 0:
        os.kill(os.getpid(), -int(how))
    os._exit(int(how))


def stay(_folder: str) -> None:
    """Ignore the end of input and all signals that can be ignored."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    write(b'{"ready":1}\n')
    sys.stdin.buffer.read()
    time.sleep(LIFE_S)


if __name__ == "__main__":
    signal.alarm(LIFE_S)
    {"talk": talk, "say": say, "hear": hear, "late": late, "leave": leave, "stay": stay}[sys.argv[1]](*sys.argv[2:])
