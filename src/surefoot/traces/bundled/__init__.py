"""Scenarios that come with Surefoot, one file each."""
