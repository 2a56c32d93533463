"""The entry point: `mockbackend`, or `python -m mockbackend`."""

from __future__ import annotations

import os
import sys

from mockbackend.errors import MockBackendError


def main() -> None:
    """Run the command line and exit with its code.

    An app that can spawn nothing but a bare `mockbackend` puts the whole command line into the environment
    variable `MOCKBACKEND_ARGS`.
    """
    _fill_descriptors()
    arguments = sys.argv[1:]
    if not arguments and (spelled := os.environ.get("MOCKBACKEND_ARGS")):
        import shlex  # only then

        try:
            arguments = shlex.split(spelled)
        except ValueError as problem:
            sys.stderr.write(f"mockbackend: error: MOCKBACKEND_ARGS: {problem}\n")
            sys.exit(2)
    from mockbackend.cli import mockbackend  # click is the largest part of the start

    try:
        mockbackend.main(arguments, prog_name="mockbackend")
    except MockBackendError as problem:
        sys.stderr.write(f"mockbackend: error: {problem}\n")
        sys.exit(problem.exit_code)


def _fill_descriptors() -> None:
    """Open the null device for each standard descriptor that we were started without.

    Otherwise the next file would become our stdin or stdout. The null device cannot be written to this way,
    so that a stdout which is not there counts as broken.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


if __name__ == "__main__":
    main()
