"""Tables and texts for a terminal."""
