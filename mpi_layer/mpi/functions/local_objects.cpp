#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

LocalObjects& local_objects() {
  static LocalObjects& objects = *new LocalObjects;
  return objects;
}

DatatypeRef find_datatype(MPI_Datatype handle) {
  const std::uintptr_t number = number_of(handle);
  return number < 4096 ? predefined_datatype(number) : local_objects().datatypes.find(number);
}

MPI_Datatype new_handle(const DatatypeRef& type) {
  if (type->is_predefined()) return handle_of<MPI_Datatype>(type->number());
  const std::uintptr_t number = local_objects().datatypes.add(type);
  if (number == 0) return MPI_DATATYPE_NULL;
  type->add_handle();
  return handle_of<MPI_Datatype>(number);
}

GroupRef find_group(MPI_Group handle) {
  static const GroupRef& empty = *new GroupRef(std::make_shared<Group>(std::vector<int>{}));
  return handle == MPI_GROUP_EMPTY ? empty : local_objects().groups.find(number_of(handle));
}

MPI_Group new_handle(const GroupRef& group) {
  if (group->size() == 0) return MPI_GROUP_EMPTY;
  const std::uintptr_t number = local_objects().groups.add(group);
  return number == 0 ? MPI_GROUP_NULL : handle_of<MPI_Group>(number);
}

std::shared_ptr<Info> find_info(MPI_Info handle) {
  static const std::shared_ptr<Info>& environment =
      *new std::shared_ptr<Info>(std::make_shared<Info>());
  return handle == MPI_INFO_ENV ? environment : local_objects().infos.find(number_of(handle));
}

}  // namespace lintel::mpi
