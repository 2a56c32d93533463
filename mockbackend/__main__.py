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
    arguments = sys.argv[1:]
    if not arguments and (spelled := os.environ.get("MOCKBACKEND_ARGS")):
        import shlex  # noqa: PLC0415  # only then

        try:
            arguments = shlex.split(spelled)
        except ValueError as problem:
            sys.stderr.write(f"mockbackend: error: MOCKBACKEND_ARGS: {problem}\n")
            sys.exit(2)
    from mockbackend.cli import mockbackend  # noqa: PLC0415  # click is the largest part of the start

    try:
        mockbackend.main(arguments, prog_name="mockbackend")
    except MockBackendError as problem:
        sys.stderr.write(f"mockbackend: error: {problem}\n")
        sys.exit(problem.exit_code)


if __name__ == "__main__":
    main()
