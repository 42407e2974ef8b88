#pragma once
// The functions of libpmix that Lintel calls, loaded when they are needed: programs that another
// launcher starts neither need the library nor wait for it. Private to this folder: it needs the
// headers of PMIx.

#include <pmix.h>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi {

struct PmixLibrary {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence) fence = nullptr;
  decltype(&PMIx_Abort) abort = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;
};

// Loads libpmix.so.2, for as long as the process lives: it has threads of its own. Fails when it is
// not there, or lacks a function.
Outcome<PmixLibrary> load_pmix();

}  // namespace lintel::mpi
