"""What moves: robots from MJCF, URDF or a bundled family, the terrain under them, loose objects."""
