#pragma once
// How a communicator is made: its contexts are agreed on, then it gets its handle.

#include <cstdint>
#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Whether a new communicator gets copies of its parent's attributes. It gets the error handler in
// any case.
enum class AttributeCopying { kNone, kCopied };

// What a new communicator inherits, as it was when this object was made. AttributeCopying that no
// communicator has taken are deleted with this object.
struct Inheritance {
  Inheritance(Communicator& parent, AttributeCopying copied);
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;
  ~Inheritance();

  ErrorHandlerRef error_handler;
  AttributeCache attributes;
  int error = MPI_SUCCESS;  // of a copy function; attributes before it are copied
};

// Collective over the team; blocks. A member that is not in `group` gets MPI_COMM_NULL. On errors
// `*result` is not changed. An error of an attribute's copy function occurs in this process only.
// REQUIRES: the groups of the members are equal or disjoint.
int make_communicator(const Team& team, const CommunicatorRef& parent, const GroupRef& group,
                      AttributeCopying attributes, MPI_Comm* result);

// The local part of it, with an agreed context number, which it owns from then on, also if it
// fails. Does not block.
int enter_communicator(std::uint32_t number, const GroupRef& group, Inheritance& inheritance,
                       MPI_Comm* result);

}  // namespace lintel::mpi
