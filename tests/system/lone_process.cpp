// A program with one network interface and nothing else. Prints how many bytes of its memory are
// resident.

#include <cstdio>

#include "portals3.h"
#include "tests/system/resident_memory.h"

int main() {
  int interfaces = 0;
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  if (PtlInit(&interfaces) != PTL_OK ||
      PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni) != PTL_OK)
    return 1;
  std::printf("%zu\n", lintel::testing::resident_bytes());
  PtlFini();
  return 0;
}
