#pragma once
// Open MPI's component "lintel" of its framework "mtl" (matching transport layer): component.c has
// the functions with which Open MPI finds and opens it, module.c those for messages.

#include "mpi_layer/openmpi/series.h"

extern LINTEL_SERIES_DECLSPEC mca_mtl_base_component_2_0_0_t mca_mtl_lintel_component;
extern mca_mtl_base_module_t lintel_module;

// Writes "lintel: Open MPI: <sentence>" to standard error.
void lintel_say(const char* sentence);
