"""The mailbox: what comes first is taken first, whoever it comes from."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from mockbackend.io.mailbox import Mailbox

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no poll there")
PATIENCE = 5_000_000


def test_things_are_taken_in_their_order_and_time_runs_out() -> None:
    box: Mailbox[str] = Mailbox()
    box.put("a")
    threading.Timer(0.02, box.put, ("b",)).start()
    assert box.take(PATIENCE) == "a"
    while (got := box.take(None)) is None:
        pass
    assert got == "b"
    assert box.take(1000) is None
    assert box.take(-1) is None


def test_a_reader_that_is_gone_is_told_once_in_a_silence() -> None:
    box: Mailbox[str] = Mailbox()
    theirs, ours = os.pipe()
    box.watch(ours, "gone")
    assert box.take(1000) is None
    os.close(theirs)
    assert box.take(PATIENCE) == "gone"
    assert box.take(1000) is None
    os.close(ours)


def test_what_is_forgotten_is_not_told() -> None:
    box: Mailbox[str] = Mailbox()
    theirs, ours = os.pipe()
    box.watch(ours, "gone")
    box.forget(ours)
    box.forget(ours)
    os.close(theirs)
    assert box.take(1000) is None
    os.close(ours)


def test_a_signal_may_arrive_in_another_thread() -> None:
    box: Mailbox[str] = Mailbox()
    box.hear_signals()
    before = signal.signal(signal.SIGUSR1, lambda *_: box.put("signal"))
    elsewhere = threading.Thread(target=time.sleep, args=(0.3,))
    elsewhere.start()
    try:
        assert elsewhere.ident is not None
        threading.Timer(0.05, signal.pthread_kill, (elsewhere.ident, signal.SIGUSR1)).start()
        began = time.monotonic()
        assert "signal" in {box.take(PATIENCE), box.take(PATIENCE // 5)}
        assert time.monotonic() - began < 3
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGUSR1, before)
        elsewhere.join()
