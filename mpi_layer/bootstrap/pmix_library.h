#pragma once
// The functions of libpmix that Lintel calls. They are loaded when they are needed, so that
// programs of other launchers neither need the library nor wait for it. Private to this folder,
// because it needs the headers of PMIx.

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

// Loads libpmix.so.2 until the end of the process, because it has threads of its own. Fails if the
// library or a function is missing.
Outcome<PmixLibrary> load_pmix();

}  // namespace lintel::mpi
