"""Both transports behave alike over whatever stdin and stdout may be."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import tty
from typing import TYPE_CHECKING

import pytest

from mockbackend.io.poll import PollTransport, can_poll
from mockbackend.io.stdio import open_transport
from mockbackend.io.threads import ThreadTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mockbackend.io.transport import Transport

    Make = Callable[[int, int], Transport]

S = 1_000_000
PATIENCE = 10 * S


@pytest.fixture(params=[PollTransport, ThreadTransport], ids=["poll", "threads"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    made: list[Transport] = []

    def build(stdin_fd: int, stdout_fd: int) -> Transport:
        transport: Transport = request.param(stdin_fd, stdout_fd)
        made.append(transport)
        return transport

    yield build
    for transport in made:
        transport.close()


@pytest.fixture
def fds() -> Iterator[Callable[..., tuple[int, ...]]]:
    """Close what a test opened, some of which it may have closed itself."""
    opened: list[int] = []

    def keep(*numbers: int) -> tuple[int, ...]:
        opened.extend(numbers)
        return numbers

    yield keep
    for number in opened:
        with contextlib.suppress(OSError):
            os.close(number)


def read_all(transport: Transport) -> bytes:
    """Read to the end of input."""
    data = b""
    while True:
        ready = transport.wait(PATIENCE, writing=False)
        assert ready.readable
        chunk = transport.read()
        if not chunk:
            return data
        data += chunk


def write_all(transport: Transport, data: bytes) -> None:
    view = memoryview(data)
    while view:
        sent = transport.write(view)
        view = view[sent:]
        if view and not sent:
            assert transport.wait(PATIENCE, writing=True, reading=False).writable


def test_what_is_written_to_a_pipe_arrives_whole(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    sent = os.urandom(300_000)

    def send() -> None:
        os.write(frontend, sent[:1])
        os.write(frontend, sent[1:])
        os.close(frontend)

    threading.Thread(target=send).start()
    assert read_all(transport) == sent


def test_data_before_a_hang_up_is_not_lost(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, frontend = fds(*os.pipe())
    os.write(frontend, b"last words")
    os.close(frontend)
    assert read_all(make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])) == b"last words"


def test_regular_files_and_the_null_device_are_read_to_their_end(
    make: Make, fds: Callable[..., tuple[int, ...]], tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(b"x" * 100_000)
    for path, content in ((tmp_path / "in", b"x" * 100_000), (os.devnull, b"")):
        stdin, stdout = fds(
            os.open(path, os.O_RDONLY), os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        )
        transport = make(stdin, stdout)
        assert read_all(transport) == content
        write_all(transport, b"y" * 100_000)
        transport.wait(0, writing=False, reading=False)
    deadline = time.monotonic() + 5
    while (tmp_path / "out").stat().st_size < 200_000 and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    assert (tmp_path / "out").read_bytes() == b"y" * 200_000


def test_a_terminal_is_read_and_written(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    ours, theirs = fds(*pty.openpty())
    tty.setraw(theirs)
    transport = make(theirs, theirs)
    os.write(ours, b"typed")
    assert transport.wait(PATIENCE, writing=False).readable
    assert transport.read() == b"typed"
    write_all(transport, b"shown")
    assert os.read(ours, 100) == b"shown"


def test_one_socket_can_be_both(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    ours, theirs = socket.socketpair()
    fd = fds(theirs.detach())[0]
    transport = make(fd, fd)
    with ours:
        ours.sendall(b"in")
        assert transport.wait(PATIENCE, writing=False).readable
        assert transport.read() == b"in"
        write_all(transport, b"out")
        assert ours.recv(100) == b"out"
        ours.shutdown(socket.SHUT_WR)
        ready = transport.wait(PATIENCE, writing=False)
        assert (ready.readable, ready.broken) == (True, False)
        assert transport.read() == b""
        write_all(transport, b"still there")
        assert ours.recv(100) == b"still there"


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_blocked_stdout_does_not_stop_stdin_and_nothing_is_lost(
    make: Make, fds: Callable[..., tuple[int, ...]], kind: str
) -> None:
    stdin, frontend_out = fds(*os.pipe())
    frontend_in, stdout = fds(*(os.pipe() if kind == "pipe" else (end.detach() for end in socket.socketpair())))
    transport = make(stdin, stdout)
    data = os.urandom(1_000_000)
    view = memoryview(data)
    while sent := transport.write(view):
        view = view[sent:]
        transport.wait(S // 10, writing=True, reading=False)
    assert len(view) > 500_000
    os.write(frontend_out, b"cancel")
    assert transport.wait(PATIENCE, writing=True).readable
    assert transport.read() == b"cancel"
    received = bytearray()

    def receive() -> None:
        while len(received) < len(data):
            received.extend(os.read(frontend_in, 65_536))

    reader = threading.Thread(target=receive)
    reader.start()
    write_all(transport, bytes(view))
    reader.join(10)
    assert received == data


def test_a_terminal_that_nobody_reads_does_not_stop_stdin(fds: Callable[..., tuple[int, ...]]) -> None:
    # Without raw mode newlines grow on the way: poll promises room where there is too little.
    ours, theirs = fds(*pty.openpty())
    stdin, frontend_out = fds(*os.pipe())
    transport = open_transport(stdin, theirs)
    data = b"\n" * 100_000
    sent = transport.write(memoryview(data))
    assert not transport.wait(S // 20, writing=True).writable
    os.write(frontend_out, b"cancel")
    assert transport.wait(PATIENCE, writing=True).readable
    shown = 0
    while shown < 2 * sent:
        shown += len(os.read(ours, 65_536))
    assert shown == 2 * sent
    transport.close()


def test_a_broken_stdout_is_noticed(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _frontend = fds(*os.pipe())
    frontend_in, stdout = fds(*os.pipe())
    transport = make(stdin, stdout)
    assert not any(transport.wait(0, writing=False))
    os.close(frontend_in)
    if isinstance(transport, ThreadTransport):  # Only a write can tell.
        assert transport.write(memoryview(b"x")) == 1
    assert transport.wait(PATIENCE, writing=False).broken
    assert transport.write(memoryview(b"xyz")) == 3
    assert transport.wait(None, writing=True).broken


def test_a_frontend_that_goes_in_the_middle_of_a_write_is_noticed(
    make: Make, fds: Callable[..., tuple[int, ...]]
) -> None:
    stdin, _frontend = fds(*os.pipe())
    frontend_in, stdout = fds(*os.pipe())
    transport = make(stdin, stdout)
    view = memoryview(bytes(200_000))
    while sent := transport.write(view):
        view = view[sent:]
        transport.wait(S // 20, writing=True, reading=False)
    os.close(frontend_in)
    assert transport.wait(PATIENCE, writing=True).broken


def test_an_interrupt_ends_a_wait_and_is_told_once(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    for _ in range(3):
        transport.interrupt()
    assert transport.wait(PATIENCE, writing=False).interrupted
    assert not transport.wait(0, writing=False).interrupted
    threading.Timer(0.05, transport.interrupt).start()
    assert transport.wait(PATIENCE, writing=False).interrupted


def test_a_signal_handler_may_interrupt(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    before = signal.signal(signal.SIGUSR1, lambda *_: transport.interrupt())
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        assert transport.wait(PATIENCE, writing=False).interrupted
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_signal_may_arrive_in_another_thread(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    before = signal.signal(signal.SIGUSR1, lambda *_: transport.interrupt())
    transport.hear_signals()
    elsewhere = threading.Thread(target=time.sleep, args=(0.3,))
    elsewhere.start()
    try:
        assert elsewhere.ident is not None
        threading.Timer(0.05, signal.pthread_kill, (elsewhere.ident, signal.SIGUSR1)).start()
        began = time.monotonic()
        assert any(transport.wait(PATIENCE, writing=False).interrupted for _ in range(2))
        assert time.monotonic() - began < 2
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGUSR1, before)
        elsewhere.join()


def test_an_interrupt_may_come_after_the_end(fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _frontend = fds(*os.pipe())
    transport = PollTransport(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    transport.close()
    next_numbers = fds(*os.pipe(), *os.pipe())
    transport.interrupt()
    assert not select.select(next_numbers[::2], [], [], 0)[0]


def test_any_number_of_signals_may_come_at_any_moment(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    before = signal.signal(signal.SIGALRM, lambda *_: transport.interrupt())
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    try:
        for _ in range(200):
            assert transport.wait(PATIENCE, writing=False).interrupted
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_wait_may_be_as_long_as_it_likes(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    os.write(frontend, b"x")
    assert transport.wait(10_000 * 365 * 86_400 * S, writing=False).readable


@pytest.mark.parametrize("timeout_us", [0, 300, 5_000, 25_300])
def test_a_wait_ends_at_its_time(make: Make, fds: Callable[..., tuple[int, ...]], timeout_us: int) -> None:
    stdin, _frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    best = S
    for _ in range(5):
        began = time.perf_counter_ns()
        assert not any(transport.wait(timeout_us, writing=False))
        best = min(best, (time.perf_counter_ns() - began) // 1000)
    assert timeout_us - 100 <= best <= timeout_us + 3_000


def test_nothing_is_made_non_blocking(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, frontend = fds(*os.pipe())
    frontend_in, stdout = fds(*os.pipe())
    transport = make(stdin, stdout)
    os.write(frontend, b"x")
    transport.wait(PATIENCE, writing=False)
    write_all(transport, b"x")
    for fd in (stdin, stdout, frontend, frontend_in):
        assert not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK


def test_descriptors_that_are_non_blocking_already_are_fine(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, frontend = fds(*os.pipe())
    frontend_in, stdout = fds(*os.pipe())
    for fd in (stdin, stdout):
        os.set_blocking(fd, False)
    transport = make(stdin, stdout)
    threading.Timer(0.05, os.write, (frontend, b"y")).start()
    assert transport.read() == b"y"  # Somebody else may have taken what there was: that is not the end.
    sent = transport.write(memoryview(bytes(200_000)))
    while more := transport.write(memoryview(bytes(200_000 - sent))):
        sent += more
        transport.wait(S // 20, writing=True, reading=False)
    received = 0
    while received < sent:
        received += len(os.read(frontend_in, 65_536))
    assert received == sent
    assert not transport.wait(0, writing=False).broken


def test_an_input_that_is_not_open_has_ended(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    transport = make(987, fds(os.open(os.devnull, os.O_WRONLY))[0])
    assert transport.wait(PATIENCE, writing=False).readable
    assert transport.read() == b""


def test_input_is_not_reported_to_who_does_not_listen(make: Make, fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, frontend = fds(*os.pipe())
    transport = make(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    os.write(frontend, b"x")
    os.close(frontend)
    assert not any(transport.wait(20_000, writing=False, reading=False))
    assert read_all(transport) == b"x"


def test_stdio_is_polled_where_that_works(fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, _ = fds(*os.pipe())
    transport = open_transport(stdin, fds(os.open(os.devnull, os.O_WRONLY))[0])
    assert isinstance(transport, PollTransport)
    transport.close()


def test_poll_takes_what_it_knows_and_what_is_closed(fds: Callable[..., tuple[int, ...]]) -> None:
    stdin, stdout = fds(*os.pipe())
    assert can_poll(stdin, stdout)
    assert can_poll(987, stdout)


def test_threads_do_not_keep_a_process_alive() -> None:
    code = "from mockbackend.io.threads import ThreadTransport; ThreadTransport(0, 1).close()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(20) == 0
