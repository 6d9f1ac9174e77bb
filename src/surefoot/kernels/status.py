"""How a solve can end, as the integers that kernels return.

`surefoot.solvers.status.Status` gives each of them its sentence; this file alone owns the numbers.
"""

SOLVED = 0  # every condition holds, checked on the problem as given
REGULARISED = 1  # only a slightly softened problem could be solved; its answer misses the given problem's tolerance
UNSOLVED = 2  # no method found an answer, and none proved that there is none
INFEASIBLE = 3  # there is no answer; a certificate was checked
PIVOT_LIMIT = 4  # stopped by the limit on pivots
INCONSISTENT = 5  # the demanded velocities contradict the constraints
INDETERMINATE = 6  # the motion is determined, the forces are not
NOT_FINITE = 7  # the problem holds a NaN or an infinity
CONTACTS_DROPPED = 8  # the engine's memory was full and it left contacts out
INERTIA = 9  # the inertia matrix is not positive definite
CAPACITY = 10  # work arrays are too small or a part is missing: the caller enlarges them and calls again
LOG_FULL = 11  # the roll-out's log is too small: the caller enlarges it and calls again
POLICY = 12  # the policy returned a code other than 0, or a torque for a joint whose motion is prescribed
MOTION = 13  # the motion returned a code other than 0, or a position that is not finite
GONE = 14  # the controller that a policy calls does not live any more
RELAXED = 15  # limits of a program contradict each other; each gave way by as little as could be
