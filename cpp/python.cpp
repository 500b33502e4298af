#include <nanobind/nanobind.h>

NB_MODULE(_core, module) { module.doc() = "The compiled core of cliquepool."; }
