"""Feature maps of graph kernels: how often each graph of a data set has each of some structures."""
