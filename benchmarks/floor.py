"""The least a backend in Python can be: blocking reads, and json. A floor to measure against."""

import json
import sys

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1
DELTA = b'{"type":"assistant_text_delta","content":"Some words that might be an answer, more or less. "}\n'
out = sys.stdout.buffer


def say(line: bytes) -> None:
    out.write(line)
    out.flush()


for line in sys.stdin.buffer:
    match json.loads(line)["type"]:
        case "init":
            say(b'{"type":"session_started","session_id":"floor"}\n')
        case "ping":
            say(b'{"type":"pong"}\n')
        case "user_message":
            for _ in range(COUNT):
                say(DELTA)
            say(b'{"type":"assistant_message_complete","content":""}\n')
        case "shutdown":
            break
