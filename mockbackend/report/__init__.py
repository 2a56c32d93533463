"""Views of recordings, for people."""
