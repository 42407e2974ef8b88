#include "mpi_layer/bootstrap/node_name.h"

#include <sys/utsname.h>

#include <fstream>

namespace lintel::mpi {

std::string node_name() {
  utsname system{};
  ::uname(&system);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return std::string(system.nodename) + "/" + boot;
}

}  // namespace lintel::mpi
