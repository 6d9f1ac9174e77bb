"""One file a peer: how it is called, what is timed, and how its answer is judged."""
