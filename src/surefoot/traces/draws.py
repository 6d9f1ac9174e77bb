"""Uniform numbers for particles: each depends on the seed, the particle and the parameter's name alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from surefoot import checks
from surefoot.errors import InputError

METHODS = ("random", "sobol")
BITS = 52  # of a draw; the numbers are the middles of 2^52 equal parts, and so neither 0 nor 1
SOBOL_BITS = 32  # of a point before its shift; SciPy cannot skip ahead with more
MOST_POINTS = 2**SOBOL_BITS
MOST_DIMENSIONS = 21_201  # that direction numbers are known for (Joe and Kuo 2008)


def key(seed: int, particle: int, name: str) -> int:
    """64 bits that depend on these three alone: the key of noise that is drawn in every step."""
    text = f"{seed} {particle} {name}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, person=b"surefoot").digest(), "little")


def uniform(seed: int, particle: int, name: str) -> float:
    """A uniform number between 0 and 1, both excluded, that depends on these three alone."""
    return _middle(key(seed, particle, name) >> (64 - BITS))


class Draws:
    """Uniform numbers of one study.

    Method "random" is `uniform`. Method "sobol" takes point number `particle` of Sobol's sequence, one dimension a
    name, and shifts it (exclusive or, bit by bit, which keeps the sequence's evenness) by a number that depends on the
    seed and the name: a new name at the end leaves the numbers of the others as they were.

    Attributes:
        seed: whole number of at least 0.
        method: "random" or "sobol".
        names: in the order of their dimensions.
    """

    def __init__(self, seed: int, method: str = "random", names: Iterable[str] = ()) -> None:
        """Check the arguments; nothing is drawn yet.

        Args:
            seed: whole number of at least 0.
            method: "random" or "sobol".
            names: of all parameters, in order of appearance; only "sobol" needs them.
        """
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InputError(f"seed: expected a whole number of at least 0, got {seed!r}")
        self.seed = int(seed)
        self.method = checks.choice("method", method, METHODS)
        self.names = tuple(names)
        self._dimension = {name: i for i, name in enumerate(self.names)}
        if method == "sobol" and len(self.names) > MOST_DIMENSIONS:
            raise InputError(
                f"method: 'sobol' knows {MOST_DIMENSIONS} dimensions, got {len(self.names)} parameters; use 'random'"
            )
        self._directions = np.empty((0, len(self.names)), dtype=np.uint64)

    def uniform(self, particle: int, name: str) -> float:
        """A uniform number between 0 and 1, both excluded; the particle's number is at least 1."""
        if self.method == "random":
            return uniform(self.seed, particle, name)
        if name not in self._dimension:
            raise InputError(f"name: {name!r} is none of the {len(self.names)} names that were given in advance")
        if not 0 < particle < MOST_POINTS:
            raise InputError(f"particle: expected a whole number from 1 to {MOST_POINTS - 1}, got {particle!r}")
        bits = self._bits(particle, self._dimension[name])
        return _middle(bits ^ (key(self.seed, 0, name) >> (64 - BITS)))

    def _bits(self, particle: int, dimension: int) -> int:
        """Sobol's point as a whole number of `BITS` bits: direction numbers by the Gray code of the particle."""
        gray = particle ^ (particle >> 1)
        if gray.bit_length() > len(self._directions):
            self._directions = _direction_numbers(len(self.names), gray.bit_length())
        result = 0
        for k in range(gray.bit_length()):
            if gray >> k & 1:
                result ^= int(self._directions[k, dimension])
        return result


def _direction_numbers(dimensions: int, count: int) -> NDArray[np.uint64]:
    """(count, dimensions) the first direction numbers: number k is the point whose Gray code is 2^k."""
    sequence = qmc.Sobol(dimensions, scramble=False, bits=SOBOL_BITS)
    points = []
    for k in range(count):
        sequence.fast_forward((2 << k) - 1 - sequence.num_generated)
        points.append(sequence.random(1)[0])
    return (np.array(points) * 2.0**BITS).astype(np.uint64)


def _middle(bits: int) -> float:
    """The middle of part number `bits` of 2^BITS equal parts of the unit interval."""
    return (bits + 0.5) * 2.0**-BITS
