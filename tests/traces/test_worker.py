import multiprocessing
import pickle
import time

from surefoot.traces import worker
from surefoot.traces.engine_local import Hand
from surefoot.traces.result import Result
from surefoot.traces.worker import LOADED, PREPARING, READY, SPARE, Job, Work
from tests.traces.fakes import Fake


def test_a_process_answers_in_order_and_ends_with_its_pipe():
    hand = Hand(Job(pickle.dumps(Fake()), 0, "random"))
    for particle in range(3):
        hand.give(Work("firm", particle))
    heard = [hand.hear() for _ in range(5)]
    assert heard[:2] == [LOADED, READY]
    assert [result.particle for result in heard[2:]] == [0, 1, 2]
    assert not hand.works
    hand.pipe.close()
    assert hand.end(grace=10.0) == 0


def test_a_process_that_hangs_ends_by_itself_should_nobody_end_it():
    """As when whoever started it was killed; the limit is chosen such that its time is up after half a second."""
    hand = Hand(Job(pickle.dumps(Fake(trouble={1: "hang"})), 0, "random", limit=0.5 - SPARE))
    assert [hand.hear(), hand.hear()] == [LOADED, READY]
    hand.give(Work("firm", 1))
    assert hand.hear() is None
    assert hand.end(grace=10.0) == 1


class Slow(Fake):
    def prepare(self):
        time.sleep(60.0)


def served(pipe, job, spare):
    """`serve`, with another time to spare."""
    worker.SPARE = spare
    worker.serve(pipe, job)


def test_a_process_that_hangs_over_its_preparation_ends_by_itself_too():
    ours, theirs = multiprocessing.Pipe()
    job = Job(pickle.dumps(Slow()), 0, "random")
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=served, args=(theirs, job, 0.5 - PREPARING))
    process.start()
    process.join(30.0)
    assert process.exitcode == 1
    assert ours.recv() == LOADED


def test_a_process_without_work_ends(monkeypatch):
    monkeypatch.setattr(worker, "IDLE", 0.1)
    ours, theirs = multiprocessing.Pipe()
    start = time.monotonic()
    worker.serve(theirs, Job(pickle.dumps(Fake()), 0, "random"))
    assert time.monotonic() - start < 5.0
    assert [ours.recv(), ours.recv()] == [LOADED, READY]
    ours.close()
    theirs.close()


def test_an_exception_is_told_in_one_line():
    assert worker.told(ValueError("two\n  lines")) == "ValueError: two lines"
    assert worker.told(KeyError()) == "KeyError"


def test_a_trace_that_raises_is_a_result():
    result = worker.attempt(Fake(trouble={2: "raise"}), Work("firm", 2), 0, "random")
    assert isinstance(result, Result)
    assert (result.outcome, result.message) == ("broken", "ValueError: particle 2 has no answer")
