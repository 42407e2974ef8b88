// Integers of handles (MPI 5.0, chapter 20).
#include "mpi_layer/mpi/functions/handle_integers.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Type_toint(MPI_Datatype datatype) {
  return integer_of(local_objects().datatypes, datatype, MPI_DATATYPE_NULL);
}
LINTEL_MPI_NAME(MPI_Type_toint);

MPI_Datatype PMPI_Type_fromint(int datatype) {
  return handle_of_integer(local_objects().datatypes, datatype, MPI_DATATYPE_NULL);
}
LINTEL_MPI_NAME(MPI_Type_fromint);

int PMPI_Op_toint(MPI_Op op) { return integer_of(local_objects().operations, op, MPI_OP_NULL); }
LINTEL_MPI_NAME(MPI_Op_toint);

MPI_Op PMPI_Op_fromint(int op) {
  return handle_of_integer(local_objects().operations, op, MPI_OP_NULL);
}
LINTEL_MPI_NAME(MPI_Op_fromint);

int PMPI_Group_toint(MPI_Group group) {
  return integer_of(local_objects().groups, group, MPI_GROUP_NULL);
}
LINTEL_MPI_NAME(MPI_Group_toint);

MPI_Group PMPI_Group_fromint(int group) {
  return handle_of_integer(local_objects().groups, group, MPI_GROUP_NULL);
}
LINTEL_MPI_NAME(MPI_Group_fromint);

int PMPI_Info_toint(MPI_Info info) {
  return integer_of(local_objects().infos, info, MPI_INFO_NULL);
}
LINTEL_MPI_NAME(MPI_Info_toint);

MPI_Info PMPI_Info_fromint(int info) {
  return handle_of_integer(local_objects().infos, info, MPI_INFO_NULL);
}
LINTEL_MPI_NAME(MPI_Info_fromint);

}  // extern "C"

}  // namespace lintel::mpi
