"""Particle traces: many robots as built, each a little unlike the one that its controller believes in."""
