"""The wire protocol: lines, messages, and the rules of a session's life."""
