"""Whole-body control of floating-base robots [Ratliff2014]."""
