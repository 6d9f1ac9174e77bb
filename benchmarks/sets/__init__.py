"""One file a test set; `ALL` lists them by name."""

from benchmarks.sets import contact, lcp, step

ALL = {test_set.name: test_set for test_set in (lcp.TEST_SET, contact.TEST_SET, step.TEST_SET)}
