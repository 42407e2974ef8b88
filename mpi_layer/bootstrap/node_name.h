#pragma once
// The name of the node on which a process runs. All processes of one running system have the same
// name, and no others have it.

#include <string>

namespace lintel::mpi {

// The host name, a slash, and the boot id of the kernel. So two hosts of the same name differ, and
// so do two containers of one kernel, which share no memory. Without a boot id (no /proc): the host
// name and a slash.
std::string node_name();

}  // namespace lintel::mpi
