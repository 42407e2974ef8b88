#pragma once
// How a communicator comes into being: its contexts are agreed on, then it gets its handle.

#include <cstdint>
#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Whether a new communicator takes over its parent's attributes, besides the error handler.
enum class Attributes { kNone, kCopied };

// What it takes over, as it was when this was made. What nobody has taken over is deleted with it.
struct Inheritance {
  Inheritance(Communicator& parent, Attributes copied);
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;
  ~Inheritance();

  ErrorHandlerRef error_handler;
  AttributeCache attributes;
  int error = MPI_SUCCESS;  // of a copy function; the attributes before it are copied
};

// Collective over the team; blocks. A member that is not in `group` gets MPI_COMM_NULL. On errors
// `*result` is untouched; those of copy functions of attributes are this process' alone.
// REQUIRES: groups of the members are the same or disjoint.
int make_communicator(const Team& team, const CommunicatorRef& parent, const GroupRef& group,
                      Attributes attributes, MPI_Comm* result);

// The part of it that knows no others: with a context that was agreed on, which it takes over in
// any case. Blocks not.
int enter_communicator(std::uint32_t number, const GroupRef& group, Inheritance& inheritance,
                       MPI_Comm* result);

}  // namespace lintel::mpi
