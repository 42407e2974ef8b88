#include "mpi_layer/mpi/runtime/new_communicator.h"

#include "mpi_layer/mpi/runtime/context_agreement.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

int make_communicator(const Team& team, const CommunicatorRef& parent, const GroupRef& group, Attributes attributes, MPI_Comm* result) {
  std::uint32_t number = 0;
  if (const int error = agree_on_context(team, &number); error != MPI_SUCCESS) return error;
  return enter_communicator(number, parent, group, attributes, result);
}

int enter_communicator(std::uint32_t number, const CommunicatorRef& parent, const GroupRef& group, Attributes attributes,
                       MPI_Comm* result) {
  const auto rank = group->position_of(runtime().world()->rank());
  if (!rank) {
    context_table().give_back(number);
    *result = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  const auto communicator = std::make_shared<Communicator>(group, *rank, number, parent->error_handler());
  if (!runtime().enter(communicator)) return MPI_ERR_NO_MEM;
  if (attributes == Attributes::kCopied) {
    const int error = parent->attributes().copy_to(communicator->attributes(), parent->handle());
    if (error != MPI_SUCCESS) {
      static_cast<void>(communicator->attributes().remove_all(communicator->handle()));
      runtime().communicators.remove(communicator->handle());
      return error;
    }
  }
  *result = handle_of<MPI_Comm>(communicator->handle());
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
