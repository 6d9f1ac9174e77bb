import os
import signal
import threading

import pytest

from surefoot.traces.interrupt import held_back


def ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def asked(done):
    with held_back() as interrupted:
        interrupted()
        ctrl_c()
        done.append("note")
        interrupted()
        done.append("too much")


def never_asked(done):
    with held_back():
        ctrl_c()
        done.append("note")
    done.append("too much")


def twice(done):
    with held_back():
        ctrl_c()
        done.append("note")
        ctrl_c()
        done.append("too much")


@pytest.mark.parametrize("run", [asked, never_asked, twice])
def test_it_comes_when_asked_for_or_at_the_end_and_a_second_one_at_once(run):
    done = []
    with pytest.raises(KeyboardInterrupt):
        run(done)
    assert done == ["note"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_hear_nothing_of_it():
    seen = []

    def run():
        with held_back() as interrupted:
            interrupted()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
