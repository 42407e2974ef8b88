#pragma once
// Open MPI's own headers, and the differences between its release series 4.1 and 5.0. Open MPI does
// not check whether a component was built for its series, although the layout of its structures
// changes.

#include "ompi_config.h"

#if OMPI_MAJOR_VERSION == 5
#if !__has_include(MCA_threads_mutex_base_include_HEADER)
// Debian's libopenmpi-dev lacks the headers in which Open MPI wraps POSIX threads. Declares what
// the other headers need of them. series_layouts_agree() checks that the library has the same
// sizes.
#include <pthread.h>
#include <sched.h>

#undef MCA_threads_base_include_HEADER
#undef MCA_threads_mutex_base_include_HEADER
#undef MCA_threads_tsd_base_include_HEADER
#define MCA_threads_base_include_HEADER <pthread.h>
#define MCA_threads_mutex_base_include_HEADER <pthread.h>
#define MCA_threads_tsd_base_include_HEADER <pthread.h>

typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t opal_thread_internal_cond_t;
typedef pthread_key_t opal_tsd_key_t;
#define opal_thread_internal_mutex_init(mutex, recursive) pthread_mutex_init(mutex, NULL)
#define opal_thread_internal_mutex_destroy(mutex) pthread_mutex_destroy(mutex)
#define opal_thread_internal_mutex_lock(mutex) pthread_mutex_lock(mutex)
#define opal_thread_internal_mutex_trylock(mutex) (pthread_mutex_trylock(mutex) != 0)
#define opal_thread_internal_mutex_unlock(mutex) pthread_mutex_unlock(mutex)
#define opal_thread_internal_cond_init(condition) pthread_cond_init(condition, NULL)
#define opal_thread_internal_cond_destroy(condition) pthread_cond_destroy(condition)
#define opal_thread_internal_cond_signal(condition) pthread_cond_signal(condition)
#define opal_tsd_getspecific(key, value) (*(value) = pthread_getspecific(key), OPAL_SUCCESS)
#define opal_tsd_setspecific(key, value) pthread_setspecific(key, value)
static inline void opal_thread_yield(void) { sched_yield(); }
#endif
#endif

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/mtl/base/base.h"
#include "ompi/mca/mtl/mtl.h"
#include "ompi/message/message.h"
#include "ompi/proc/proc.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/runtime/opal_progress.h"

// LINTEL_SERIES_INIT_PARAMETERS: the parameters of mtl_init. LINTEL_SERIES_ANSWER_INIT: its use of
// them.
#if OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1

#include "opal/mca/pmix/pmix.h"

#define LINTEL_SERIES_DECLSPEC OMPI_MODULE_DECLSPEC
#define LINTEL_SERIES_MODEX_SCOPE OPAL_PMIX_GLOBAL
#define LINTEL_SERIES_INIT_PARAMETERS bool progress_threads, bool mpi_threads
#define LINTEL_SERIES_ANSWER_INIT ((void)progress_threads, (void)mpi_threads)

static inline uint32_t series_context(const ompi_communicator_t* comm) { return comm->c_contextid; }

#elif OMPI_MAJOR_VERSION == 5 && OMPI_MINOR_VERSION == 0

#include "opal/mca/pmix/pmix-internal.h"

#define LINTEL_SERIES_DECLSPEC OMPI_DECLSPEC
#define LINTEL_SERIES_MODEX_SCOPE PMIX_GLOBAL
#define LINTEL_SERIES_INIT_PARAMETERS \
  bool progress_threads, bool mpi_threads, bool *accelerator_support
// Open MPI itself copies data that are in the memory of an accelerator.
#define LINTEL_SERIES_ANSWER_INIT \
  ((void)progress_threads, (void)mpi_threads, (void)(*accelerator_support = false))

// All ranks have the same context id, as in 4.1, because the component does not set
// MCA_MTL_BASE_FLAG_SUPPORTS_EXT_CID.
static inline uint32_t series_context(const ompi_communicator_t* comm) {
  return ompi_comm_get_local_cid(comm);
}

#else
#error "expected the headers of Open MPI 4.1 or 5.0"
#endif

// True if the structures that the component reads have the same sizes in the library as here.
static inline bool series_layouts_agree(void) {
  return opal_mutex_t_class.cls_sizeof == sizeof(opal_mutex_t) &&
         ompi_communicator_t_class.cls_sizeof == sizeof(ompi_communicator_t) &&
         ompi_proc_t_class.cls_sizeof == sizeof(ompi_proc_t) &&
         ompi_request_t_class.cls_sizeof == sizeof(ompi_request_t) &&
         ompi_message_t_class.cls_sizeof == sizeof(ompi_message_t) &&
         opal_convertor_t_class.cls_sizeof == sizeof(opal_convertor_t);
}
