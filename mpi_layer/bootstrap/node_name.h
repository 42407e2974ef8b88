#pragma once
// The name of the node that a process runs on, the same for all processes of one running system and
// for no other.

#include <string>

namespace lintel::mpi {

// The host's name, a slash, and the running kernel's boot id: two hosts of the same name differ,
// and so do two containers of one kernel, which share no memory. Without a boot id (no /proc): the
// host's name and a slash.
std::string node_name();

}  // namespace lintel::mpi
