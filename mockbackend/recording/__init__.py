"""Recordings: the file format, and how one becomes a session again."""
