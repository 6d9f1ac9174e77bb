import os
import signal
import threading

import pytest

from surefoot.traces.interrupt import held_back


def test_it_comes_when_asked_for():
    done = []
    with pytest.raises(KeyboardInterrupt), held_back() as interrupted:
        interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        done.append("note")
        interrupted()
        done.append("too much")
    assert done == ["note"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_comes_at_the_end_at_the_latest():
    done = []
    with pytest.raises(KeyboardInterrupt):
        with held_back():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("note")
        done.append("too much")
    assert done == ["note"]


def test_a_second_one_comes_at_once():
    done = []
    with pytest.raises(KeyboardInterrupt), held_back():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("note")
        os.kill(os.getpid(), signal.SIGINT)
        done.append("too much")
    assert done == ["note"]


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
