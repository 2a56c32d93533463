"""A stand-in backend for frontend development, over JSON lines on stdin and stdout."""

__version__ = "0.1.0"
