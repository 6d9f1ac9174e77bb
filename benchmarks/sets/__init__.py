"""One file a test set; `ALL` lists them by name."""

from benchmarks.sets import batch, contact, inverse, lcp, modes, soft, step, traces, walk, whole_body

ALL = {
    test_set.name: test_set
    for test_set in (s.TEST_SET for s in (lcp, contact, step, walk, inverse, soft, batch, modes, traces, whole_body))
}
