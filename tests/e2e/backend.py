"""A backend that does as it is told: `python backend.py SCRIPT HEARD`, for tests of what stands in front of it.

SCRIPT is a JSON list of steps; whatever it hears on stdin is in the file HEARD in the end. Steps:

["say", hex]        write to stdout                ["close", fd]          close a standard descriptor
["warn", hex]       write to stderr                ["ignore", signal]     ignore a signal
["hear", n]         read n bytes                   ["spawn", how]         start a child that sleeps for a minute
["hear_all"]        read to the end of input       ["exit", code]         end
["pause", seconds]  wait                           ["die", signal]        end by a signal
["repeat", n, gap]  say n numbered deltas, with so many seconds between them
["lump", n]         say one line of n bytes
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    script, heard_path = json.loads(sys.argv[1]), sys.argv[2]
    with open(heard_path, "ab", buffering=0) as heard:
        for step in script:
            do(step, heard.write)


def do(step: list[Any], note: Callable[[bytes], object]) -> None:
    match step:
        case ["say", text]:
            write(1, bytes.fromhex(text))
        case ["warn", text]:
            write(2, bytes.fromhex(text))
        case ["hear", count]:
            while count and (data := os.read(0, min(count, 65_536))):
                note(data)
                count -= len(data)
        case ["hear_all"]:
            while data := os.read(0, 65_536):
                note(data)
        case ["pause", seconds]:
            time.sleep(seconds)
        case ["close", fd]:
            os.close(fd)
        case ["ignore", number]:
            signal.signal(number, signal.SIG_IGN)
        case ["spawn", how]:
            # "holding": it keeps our stdout; "away": in a session of its own, with nothing of ours.
            subprocess.Popen(
                [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"],
                stdin=subprocess.DEVNULL,
                stdout=None if how == "holding" else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=how == "away",
            )
        case ["repeat", count, gap]:
            for number in range(count):
                write(1, b'{"type":"assistant_text_delta","content":"%d"}\n' % number)
                time.sleep(gap)
        case ["lump", count]:
            write(1, b'{"type":"tool_end","id":"1","output":"' + b"x" * (count - 56) + b'","success":true}\n')
        case ["exit", code]:
            os._exit(code)
        case ["die", number]:
            os.kill(os.getpid(), number)
            time.sleep(1)
        case _:
            raise ValueError(step)


def write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


if __name__ == "__main__":
    main()
