#include "mpi_layer/mpi/runtime/new_communicator.h"

#include "mpi_layer/mpi/runtime/context_agreement.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

Inheritance::Inheritance(Communicator& parent, AttributeCopying copied)
    : error_handler(parent.error_handler()) {
  if (copied == AttributeCopying::kCopied)
    error = parent.attributes().copy_to(attributes, parent.handle());
}

Inheritance::~Inheritance() { static_cast<void>(attributes.remove_all(number_of(MPI_COMM_NULL))); }

int make_communicator(const Team& team, const CommunicatorRef& parent, const GroupRef& group,
                      AttributeCopying attributes, MPI_Comm* result) {
  std::uint32_t number = 0;
  if (const int error = agree_on_context(team, &number); error != MPI_SUCCESS) return error;
  Inheritance inheritance(*parent, attributes);
  return enter_communicator(number, group, inheritance, result);
}

int enter_communicator(std::uint32_t number, const GroupRef& group, Inheritance& inheritance,
                       MPI_Comm* result) {
  const auto rank = group->position_of(runtime().world()->rank());
  if (!rank) {
    context_table().give_back(number);
    *result = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  const auto communicator =
      std::make_shared<Communicator>(group, *rank, number, inheritance.error_handler);
  if (!runtime().enter(communicator)) return MPI_ERR_NO_MEM;
  inheritance.attributes.move_to(communicator->attributes());
  if (inheritance.error != MPI_SUCCESS) {
    static_cast<void>(communicator->attributes().remove_all(communicator->handle()));
    runtime().communicators.remove(communicator->handle());
    *result = MPI_COMM_NULL;  // programs check it
    return inheritance.error;
  }
  *result = handle_of<MPI_Comm>(communicator->handle());
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
