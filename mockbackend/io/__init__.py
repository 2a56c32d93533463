"""The edge to the operating system: descriptors, files, and the places where files are found."""
