"""One pass over the lines of retrieval files: quick, in several processes, and loading as little as can be."""
