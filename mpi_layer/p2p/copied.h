#pragma once
// Messenger::Copied: a buffered send that could not leave at once, with its own copy of the bytes. For the sources of this folder.

#include <memory>

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

struct Messenger::Copied {
  std::unique_ptr<std::byte[]> bytes;
  Request request;
};

}  // namespace lintel::mpi
