import re

import pytest

import surefoot as sf
from surefoot.traces.rates import percent, sequence, wilson
from surefoot.traces.verdict import WORDS, verdict


@pytest.mark.parametrize(
    ("successes", "n", "seen", "word", "because"),
    [
        (128, 128, (128,), "robust", "128 of 128 traces succeed, 100 % (97.1 to 100 %), in one way."),
        (128, 128, (), "robust", "128 of 128 traces succeed, 100 % (97.1 to 100 %)."),
        (128, 128, (123, 5), "robust", "128 of 128 traces succeed, 100 % (97.1 to 100 %), in one way."),
        (
            127,
            128,
            {"left first": 100, "right first": 28},
            "unpredictable",
            "127 of 128 traces succeed, 99.2 % (95.7 to 99.9 %), but in 2 different ways (78.1, 21.9 % of the traces).",
        ),
        (0, 128, (60, 68), "fails", "0 of 128 traces succeed, 0 % (0 to 2.9 %)."),
        (64, 128, (60, 68), "brittle", "64 of 128 traces succeed, 50.0 % (41.5 to 58.5 %)."),
        (
            10,
            10,
            (10,),
            "brittle",
            "10 of 10 traces succeed, 100 % (72.2 to 100 %): too few traces to call it robust"
            " (that needs 90 % at the lower end).",
        ),
        (
            0,
            10,
            (),
            "brittle",
            "0 of 10 traces succeed, 0 % (0 to 27.8 %): too few traces to say that it fails"
            " (that needs 10 % at the upper end).",
        ),
        (1, 2, (), "brittle", "1 of 2 traces succeed, 50.0 % (9.5 to 90.5 %): too few traces to tell."),
        (0, 0, (), "untested", "No trace was run."),
    ],
)
def test_words_and_their_reasons(successes, n, seen, word, because):
    found = verdict(successes, n, seen)
    assert (found.word, found.because) == (word, because)
    assert str(found) == f"{word}: {because}"
    assert found.word in WORDS


def test_the_parameter_that_decides_is_named_where_something_is_decided():
    text = verdict(64, 128, decides="ground.height").because
    assert text == "64 of 128 traces succeed, 50.0 % (41.5 to 58.5 %); ground.height decides."
    assert "decides" not in verdict(128, 128, decides="ground.height").because


def test_every_word_follows_the_interval():
    for n in (1, 35, 128, 1000):
        for successes in range(n + 1):
            low, high = wilson(successes, n)
            wanted = "robust" if low >= 0.9 else "fails" if high <= 0.1 else "brittle"
            assert verdict(successes, n).word == wanted
            assert verdict(successes, n, (9, 1)).word == ("unpredictable" if wanted == "robust" else wanted)


def test_many_ways_are_not_all_printed():
    found = verdict(1000, 1000, [100] * 10)
    assert found.because.endswith("but in 10 different ways (10.0, 10.0, 10.0, 10.0, ... % of the traces).")


def test_counts_are_checked():
    text = "behaviours: expected counts of at least 0, got -1"
    with pytest.raises(sf.InputError, match=f"^{re.escape(text)}$"):
        verdict(1, 2, (-1, 3))


def test_where_a_run_could_stop_early_the_interval_holds_at_every_look():
    """40 of 40: Wilson's interval begins at 91.2 %, which a look after every trace reaches by luck too often."""
    assert verdict(40, 40).word == "robust"
    looked = verdict(40, 40, looked=True)
    low, high = sequence(40, 40)
    assert looked.word == "brittle"
    assert looked.because == (
        f"40 of 40 traces succeed, 100 % ({percent(low)} to {percent(high)} %): "
        "too few traces to call it robust (that needs 90 % at the lower end)."
    )
