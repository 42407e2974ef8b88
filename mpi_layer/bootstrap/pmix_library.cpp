#include "mpi_layer/bootstrap/pmix_library.h"

#include <dlfcn.h>

namespace lintel::mpi {
namespace {

constexpr const char* kLibrary = "libpmix.so.2";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Outcome<PmixLibrary> load_pmix() {
  // RTLD_GLOBAL, because the library loads components that need its symbols.
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return Problem{std::string("PMIx has started this process (PMIX_NAMESPACE is set), and ") +
                   kLibrary + " cannot be loaded: " + ::dlerror() +
                   "; expected the library of PMIx 3 or later (Debian: libpmix2)"};
  }
  PmixLibrary pmix;
  const bool complete =
      find(library, "PMIx_Init", pmix.init) && find(library, "PMIx_Get", pmix.get) &&
      find(library, "PMIx_Put", pmix.put) && find(library, "PMIx_Commit", pmix.commit) &&
      find(library, "PMIx_Fence", pmix.fence) && find(library, "PMIx_Abort", pmix.abort) &&
      find(library, "PMIx_Finalize", pmix.finalize) &&
      find(library, "PMIx_Error_string", pmix.error_string);
  if (!complete)
    return Problem{std::string(kLibrary) + " is not usable: " + ::dlerror() +
                   "; expected the library of PMIx 3 or later"};
  return pmix;
}

}  // namespace lintel::mpi
