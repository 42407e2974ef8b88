// Operations (MPI 5.0, clause 6.9).
#include <algorithm>
#include <climits>
#include <utility>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/bound_reduction.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/predefined_operations.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

// Calls the function of the program with at most as many items as its count can represent.
template <class Number, class Function>
void apply_in_parts(Function* function, const Operands& operands, std::int64_t most) {
  auto datatype = handle_of<MPI_Datatype>(operands.datatype);
  const char* in = static_cast<const char*>(operands.in);
  char* inout = static_cast<char*>(operands.inout);
  for (std::int64_t done = 0; done < operands.count;) {
    const std::int64_t part = std::min(most, operands.count - done);
    auto length = static_cast<Number>(part);
    const std::int64_t displacement = done * operands.extent;
    function(const_cast<char*>(in + displacement), inout + displacement, &length,
             &datatype);  // clause 6.9.5: the function does not change it
    done += part;
  }
}

int create(UserOperation operation, MPI_Op* op) {
  const std::uintptr_t number =
      local_objects().operations.add(std::make_shared<UserOperation>(std::move(operation)));
  if (number == 0) return MPI_ERR_NO_MEM;
  *op = handle_of<MPI_Op>(number);
  return MPI_SUCCESS;
}

int is_commutative(MPI_Op op, int* commute) {
  if (op == MPI_REPLACE || op == MPI_NO_OP) {
    if (commute == nullptr) return MPI_ERR_ARG;
    *commute = 0;
    return MPI_SUCCESS;
  }
  const bool predefined = predefined_reduction(op).has_value();
  const UserOperationRef user =
      predefined ? nullptr : local_objects().operations.find(number_of(op));
  if (!predefined && !user) return MPI_ERR_OP;
  if (commute == nullptr) return MPI_ERR_ARG;
  *commute = predefined || user->commutes ? 1 : 0;
  return MPI_SUCCESS;
}

int reduce_local(const void* inbuf, void* inoutbuf, std::int64_t count, MPI_Datatype datatype,
                 MPI_Op op) {
  BoundReduction reduction;
  if (const int error = BoundReduction::bind(op, datatype, &reduction); error != MPI_SUCCESS)
    return error;
  if (count < 0) return MPI_ERR_COUNT;
  if (count > 0 && (inbuf == nullptr || inoutbuf == nullptr || inbuf == MPI_IN_PLACE ||
                    inoutbuf == MPI_IN_PLACE))
    return MPI_ERR_BUFFER;
  reduction.apply(inbuf, inoutbuf, count);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return mpi_call("MPI_Op_create", ObjectKind::kOperation, [=]() -> int {
    if (user_fn == nullptr || op == nullptr) return MPI_ERR_ARG;
    return create(
        {[user_fn](const Operands& operands) { apply_in_parts<int>(user_fn, operands, INT_MAX); },
         commute != 0},
        op);
  });
}
LINTEL_MPI_NAME(MPI_Op_create);

int PMPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return mpi_call("MPI_Op_create_c", ObjectKind::kOperation, [=]() -> int {
    if (user_fn == nullptr || op == nullptr) return MPI_ERR_ARG;
    return create({[user_fn](const Operands& operands) {
                     apply_in_parts<MPI_Count>(user_fn, operands, INT64_MAX);
                   },
                   commute != 0},
                  op);
  });
}
LINTEL_MPI_NAME(MPI_Op_create_c);

int PMPI_Op_free(MPI_Op* op) {
  return mpi_call("MPI_Op_free", ObjectKind::kOperation, [=]() -> int {
    if (op == nullptr) return MPI_ERR_ARG;
    if (!local_objects().operations.remove(number_of(*op))) return MPI_ERR_OP;
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Op_free);

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  return mpi_call("MPI_Op_commutative", ObjectKind::kOperation,
                  [=] { return is_commutative(op, commute); });
}
LINTEL_MPI_NAME(MPI_Op_commutative);

int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
                      MPI_Op op) {
  return mpi_call("MPI_Reduce_local", ObjectKind::kOperation,
                  [=] { return reduce_local(inbuf, inoutbuf, count, datatype, op); });
}
LINTEL_MPI_NAME(MPI_Reduce_local);

int PMPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op) {
  return mpi_call("MPI_Reduce_local_c", ObjectKind::kOperation,
                  [=] { return reduce_local(inbuf, inoutbuf, count, datatype, op); });
}
LINTEL_MPI_NAME(MPI_Reduce_local_c);

}  // extern "C"

}  // namespace lintel::mpi
