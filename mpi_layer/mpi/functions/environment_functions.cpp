// Version, time, memory, addresses (MPI 5.0, clauses 5.1.5, 9.1, 9.2, 9.6).
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ratio>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

using WallClock = std::chrono::steady_clock;

constexpr std::size_t kCacheLine = 64;

int allocate(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (size < 0 || baseptr == nullptr) return MPI_ERR_ARG;
  if (info != MPI_INFO_NULL && !find_info(info)) return MPI_ERR_INFO;
  // at least one line, because memory of 0 bytes has an address too
  const std::size_t lines = static_cast<std::size_t>(size) / kCacheLine + 1;
  void* memory = std::aligned_alloc(kCacheLine, lines * kCacheLine);
  if (memory == nullptr) return MPI_ERR_NO_MEM;
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

MPI_Aint wrapped(std::uintptr_t address) { return static_cast<MPI_Aint>(address); }

}  // namespace

extern "C" {

int PMPI_Get_version(int* version, int* subversion) {
  return mpi_call("MPI_Get_version", ObjectKind::kNone, [=]() -> int {
    if (const int error = check_pointers({version, subversion}); error != MPI_SUCCESS) return error;
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Get_version);

int PMPI_Get_library_version(char* version, int* resultlen) {
  return mpi_call("MPI_Get_library_version", ObjectKind::kNone, [=]() -> int {
    if (const int error = check_pointers({version, resultlen}); error != MPI_SUCCESS) return error;
    *resultlen = copy_text("Lintel " LINTEL_VERSION_TEXT, version, MPI_MAX_LIBRARY_VERSION_STRING);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Get_library_version);

int PMPI_Get_processor_name(char* name, int* resultlen) {
  return mpi_call("MPI_Get_processor_name", ObjectKind::kNone, [=]() -> int {
    if (const int error = check_pointers({name, resultlen}); error != MPI_SUCCESS) return error;
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    if (gethostname(host, sizeof host - 1) != 0) return MPI_ERR_OTHER;
    *resultlen = copy_text(host, name, MPI_MAX_PROCESSOR_NAME);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Get_processor_name);

double PMPI_Wtime(void) {
  return std::chrono::duration<double>(WallClock::now().time_since_epoch()).count();
}
LINTEL_MPI_NAME(MPI_Wtime);

double PMPI_Wtick(void) {
  return static_cast<double>(WallClock::period::num) / static_cast<double>(WallClock::period::den);
}
LINTEL_MPI_NAME(MPI_Wtick);

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  return mpi_call("MPI_Alloc_mem", ObjectKind::kNone,
                  [=] { return allocate(size, info, baseptr); });
}
LINTEL_MPI_NAME(MPI_Alloc_mem);

int PMPI_Free_mem(void* base) {
  return mpi_call("MPI_Free_mem", ObjectKind::kNone, [=] {
    std::free(base);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Free_mem);

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  return mpi_call("MPI_Get_address", ObjectKind::kNone, [=]() -> int {
    if (address == nullptr) return MPI_ERR_ARG;
    *address = wrapped(number_of(location));
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Get_address);

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return wrapped(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
LINTEL_MPI_NAME(MPI_Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return wrapped(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
LINTEL_MPI_NAME(MPI_Aint_diff);

int PMPI_Abi_get_version(int* abi_major, int* abi_minor) {
  return mpi_call("MPI_Abi_get_version", ObjectKind::kNone, [=]() -> int {
    if (const int error = check_pointers({abi_major, abi_minor}); error != MPI_SUCCESS)
      return error;
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Abi_get_version);

// A profiling library may replace it.
int PMPI_Pcontrol(const int /*level*/, ...) { return MPI_SUCCESS; }
LINTEL_MPI_NAME(MPI_Pcontrol);

}  // extern "C"

}  // namespace lintel::mpi
