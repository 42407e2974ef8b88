#pragma once
// Open MPI's own headers, and what differs from one of its release series to the next: nothing in it looks whether a component fits, and the layout of its
// structures changes. This is 4.1.

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/mca/mtl/base/base.h"
#include "ompi/mca/mtl/base/mtl_base_datatype.h"
#include "ompi/mca/mtl/mtl.h"
#include "ompi/message/message.h"
#include "ompi/proc/proc.h"
#include "opal/mca/pmix/pmix.h"
#include "opal/runtime/opal_progress.h"

#if OMPI_MAJOR_VERSION != 4 || OMPI_MINOR_VERSION != 1
#error "expected the headers of Open MPI 4.1"
#endif

#define LINTEL_SERIES_DECLSPEC OMPI_MODULE_DECLSPEC
#define LINTEL_SERIES_MODEX_SCOPE OPAL_PMIX_GLOBAL
// What mtl_init takes.
#define LINTEL_SERIES_INIT_PARAMETERS bool progress_threads, bool mpi_threads
#define LINTEL_SERIES_UNUSED_INIT_PARAMETERS ((void)progress_threads, (void)mpi_threads)

static inline uint32_t series_context(const ompi_communicator_t* comm) { return comm->c_contextid; }
