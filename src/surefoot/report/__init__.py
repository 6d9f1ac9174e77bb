"""What people look at: pictures, animations, summaries."""
