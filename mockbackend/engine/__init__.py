"""The pure core: it is told what happened and when, and says what to do and when to wake it."""
