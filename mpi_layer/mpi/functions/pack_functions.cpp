// MPI_Pack, MPI_Unpack, MPI_Pack_size (MPI 5.0, clause 5.2).
#include <algorithm>
#include <vector>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/external32.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/packing_form.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/objects/checked_number.h"

namespace lintel::mpi {

namespace {

// The number of bytes of `count` items that are packed for that communicator.
CheckedNumber bytes_of(const Datatype& type, std::int64_t count, MPI_Comm comm) {
  return CheckedNumber(count) *
         (packs_external32(comm) ? external_form(type).size : CheckedNumber(type.size()));
}

// A position in a buffer of packed data.
template <class Number>
struct PackedBuffer {
  const void* begin;
  Number size;
  const Number* position;
};

// Does the checks that packing and unpacking share, and computes the number of bytes of `count`
// items of `type` in the buffer. `items`: the unpacked memory.
template <class Number>
int check_room(const DatatypeRef& type, Number count, const void* items,
               const PackedBuffer<Number>& packed, MPI_Comm comm, std::int64_t* bytes) {
  if (comm == MPI_COMM_NULL) return MPI_ERR_COMM;
  if (count < 0) return MPI_ERR_COUNT;
  if (!type || !type->is_committed()) return MPI_ERR_TYPE;
  if (packed.position == nullptr || packed.size < 0 || *packed.position < 0 ||
      *packed.position > packed.size)
    return MPI_ERR_ARG;
  const CheckedNumber needed = bytes_of(*type, count, comm);
  if (!needed.fits() || needed.value() > packed.size - *packed.position) return MPI_ERR_TRUNCATE;
  *bytes = needed.value();
  if (*bytes == 0) return MPI_SUCCESS;
  // MPI_BOTTOM is a null pointer, which is valid if displacements are addresses. If the data begin
  // at displacement 0, they are not.
  const bool is_nowhere = items == nullptr && type->shape().true_lower_bound == 0;
  return packed.begin == nullptr || is_nowhere ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

template <class Number>
int pack_items(const void* inbuf, Number incount, MPI_Datatype datatype, void* outbuf,
               Number outsize, Number* position, MPI_Comm comm) {
  const DatatypeRef type = find_datatype(datatype);
  std::int64_t bytes = 0;
  if (const int error =
          check_room<Number>(type, incount, inbuf, {outbuf, outsize, position}, comm, &bytes);
      error != MPI_SUCCESS)
    return error;
  std::byte* const place = static_cast<std::byte*>(outbuf) + *position;
  if (packs_external32(comm)) {
    std::vector<std::byte> external(static_cast<std::size_t>(bytes));
    if (!pack_external(*type, number_of(inbuf), incount, external)) return MPI_ERR_CONVERSION;
    std::ranges::copy(external, place);
  } else {
    pack(type->items(number_of(inbuf), incount), 0, {place, static_cast<std::size_t>(bytes)});
  }
  *position += static_cast<Number>(bytes);
  return MPI_SUCCESS;
}

template <class Number>
int unpack_items(const void* inbuf, Number insize, Number* position, void* outbuf, Number outcount,
                 MPI_Datatype datatype, MPI_Comm comm) {
  const DatatypeRef type = find_datatype(datatype);
  std::int64_t bytes = 0;
  if (const int error =
          check_room<Number>(type, outcount, outbuf, {inbuf, insize, position}, comm, &bytes);
      error != MPI_SUCCESS)
    return error;
  const std::span packed(static_cast<const std::byte*>(inbuf) + *position,
                         static_cast<std::size_t>(bytes));
  if (packs_external32(comm)) {
    unpack_external(*type, number_of(outbuf), outcount, packed);
  } else {
    unpack(type->items(number_of(outbuf), outcount), 0, packed);
  }
  *position += static_cast<Number>(bytes);
  return MPI_SUCCESS;
}

int packed_size(std::int64_t count, MPI_Datatype datatype, MPI_Comm comm, const void* size,
                std::int64_t* bytes) {
  const DatatypeRef type = find_datatype(datatype);
  if (comm == MPI_COMM_NULL) return MPI_ERR_COMM;
  if (count < 0) return MPI_ERR_COUNT;
  if (!type) return MPI_ERR_TYPE;
  if (size == nullptr) return MPI_ERR_ARG;
  CheckedNumber needed = CheckedNumber(count) * type->size();
  if (packs_external32(comm)) {
    // Buffered sends to processes that exchange no external32 use the format of this machine.
    const CheckedNumber external = bytes_of(*type, count, comm);
    if (!external.fits() || external.value() > needed.value()) needed = external;
  }
  *bytes = needed.value();
  return needed.fits() ? MPI_SUCCESS : MPI_ERR_VALUE_TOO_LARGE;
}

}  // namespace

extern "C" {

int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
              int* position, MPI_Comm comm) {
  return mpi_call("MPI_Pack", comm, [=] {
    return pack_items(inbuf, incount, datatype, outbuf, outsize, position, comm);
  });
}
LINTEL_MPI_NAME(MPI_Pack);

int PMPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                MPI_Count outsize, MPI_Count* position, MPI_Comm comm) {
  return mpi_call("MPI_Pack_c", comm, [=] {
    return pack_items(inbuf, incount, datatype, outbuf, outsize, position, comm);
  });
}
LINTEL_MPI_NAME(MPI_Pack_c);

int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                MPI_Datatype datatype, MPI_Comm comm) {
  return mpi_call("MPI_Unpack", comm, [=] {
    return unpack_items(inbuf, insize, position, outbuf, outcount, datatype, comm);
  });
}
LINTEL_MPI_NAME(MPI_Unpack);

int PMPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                  MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
  return mpi_call("MPI_Unpack_c", comm, [=] {
    return unpack_items(inbuf, insize, position, outbuf, outcount, datatype, comm);
  });
}
LINTEL_MPI_NAME(MPI_Unpack_c);

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return mpi_call("MPI_Pack_size", comm, [=]() -> int {
    std::int64_t bytes = 0;
    if (const int error = packed_size(incount, datatype, comm, size, &bytes); error != MPI_SUCCESS)
      return error;
    *size = as_int(bytes);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Pack_size);

int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
  return mpi_call("MPI_Pack_size_c", comm, [=]() -> int {
    std::int64_t bytes = 0;
    if (const int error = packed_size(incount, datatype, comm, size, &bytes); error != MPI_SUCCESS)
      return error;
    *size = bytes;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Pack_size_c);

}  // extern "C"

}  // namespace lintel::mpi
