"""What must not stay in a recording: secrets, and on wish paths. Pure."""
