"""Particle traces: how often a policy fails when the robot is not quite as modelled, and which parameter decides."""
