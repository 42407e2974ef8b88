// MPI_Pack_external, MPI_Unpack_external, MPI_Pack_external_size (MPI 5.0, clause 5.3).
#include <cstring>
#include <vector>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/external32.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

int check_format(const char* datarep) {
  if (datarep == nullptr) return MPI_ERR_ARG;
  return std::strcmp(datarep, "external32") == 0 ? MPI_SUCCESS : MPI_ERR_UNSUPPORTED_DATAREP;
}

// Computes the number of bytes of `count` items of the type in external32.
int external_bytes(const char* datarep, std::int64_t count, const DatatypeRef& type,
                   std::int64_t* bytes) {
  if (const int error = check_format(datarep); error != MPI_SUCCESS) return error;
  if (count < 0) return MPI_ERR_COUNT;
  if (!type) return MPI_ERR_TYPE;
  const CheckedNumber needed = external_form(*type).size * count;
  *bytes = needed.value();
  return needed.fits() ? MPI_SUCCESS : MPI_ERR_VALUE_TOO_LARGE;
}

// A position in a buffer of external data.
struct ExternalBuffer {
  const void* begin;
  std::int64_t size;
  const std::int64_t* position;
};

// Checks that packing and unpacking share. `items`: the unpacked memory.
int check_room(const char* datarep, std::int64_t count, const DatatypeRef& type, const void* items,
               const ExternalBuffer& packed, std::int64_t* bytes) {
  if (type && !type->is_committed()) return MPI_ERR_TYPE;
  if (const int error = external_bytes(datarep, count, type, bytes); error != MPI_SUCCESS)
    return error;
  if (!(CheckedNumber(count) * type->size()).fits()) return MPI_ERR_VALUE_TOO_LARGE;
  if (packed.position == nullptr || packed.size < 0 || *packed.position < 0 ||
      *packed.position > packed.size)
    return MPI_ERR_ARG;
  if (*bytes > packed.size - *packed.position) return MPI_ERR_TRUNCATE;
  const bool is_nowhere = items == nullptr && type->shape().true_lower_bound == 0;
  return *bytes > 0 && (packed.begin == nullptr || is_nowhere) ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int pack_items(const char* datarep, const void* inbuf, std::int64_t count, MPI_Datatype datatype,
               void* outbuf, std::int64_t size, std::int64_t* position) {
  const DatatypeRef type = find_datatype(datatype);
  std::int64_t bytes = 0;
  if (const int error = check_room(datarep, count, type, inbuf, {outbuf, size, position}, &bytes);
      error != MPI_SUCCESS)
    return error;
  if (bytes == 0) return MPI_SUCCESS;
  std::vector<std::byte> external(static_cast<std::size_t>(bytes));
  if (!pack_external(*type, number_of(inbuf), count, external)) return MPI_ERR_CONVERSION;
  std::memcpy(static_cast<std::byte*>(outbuf) + *position, external.data(), external.size());
  *position += bytes;
  return MPI_SUCCESS;
}

int unpack_items(const char* datarep, const void* inbuf, std::int64_t size, std::int64_t* position,
                 void* outbuf, std::int64_t count, MPI_Datatype datatype) {
  const DatatypeRef type = find_datatype(datatype);
  std::int64_t bytes = 0;
  if (const int error = check_room(datarep, count, type, outbuf, {inbuf, size, position}, &bytes);
      error != MPI_SUCCESS)
    return error;
  if (bytes == 0) return MPI_SUCCESS;
  unpack_external(
      *type, number_of(outbuf), count,
      {static_cast<const std::byte*>(inbuf) + *position, static_cast<std::size_t>(bytes)});
  *position += bytes;
  return MPI_SUCCESS;
}

int packed_size(const char* datarep, std::int64_t count, MPI_Datatype datatype,
                std::int64_t* size) {
  std::int64_t bytes = 0;
  if (const int error = external_bytes(datarep, count, find_datatype(datatype), &bytes);
      error != MPI_SUCCESS)
    return error;
  if (size == nullptr) return MPI_ERR_ARG;
  *size = bytes;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Pack_external(const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype,
                       void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
  return mpi_call("MPI_Pack_external", ObjectKind::kDatatype, [=] {
    return pack_items(datarep, inbuf, incount, datatype, outbuf, outsize, position);
  });
}
LINTEL_MPI_NAME(MPI_Pack_external);

int PMPI_Pack_external_c(const char datarep[], const void* inbuf, MPI_Count incount,
                         MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
                         MPI_Count* position) {
  return mpi_call("MPI_Pack_external_c", ObjectKind::kDatatype, [=] {
    return pack_items(datarep, inbuf, incount, datatype, outbuf, outsize, position);
  });
}
LINTEL_MPI_NAME(MPI_Pack_external_c);

int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize,
                         MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype) {
  return mpi_call("MPI_Unpack_external", ObjectKind::kDatatype, [=] {
    return unpack_items(datarep, inbuf, insize, position, outbuf, outcount, datatype);
  });
}
LINTEL_MPI_NAME(MPI_Unpack_external);

int PMPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize,
                           MPI_Count* position, void* outbuf, MPI_Count outcount,
                           MPI_Datatype datatype) {
  return mpi_call("MPI_Unpack_external_c", ObjectKind::kDatatype, [=] {
    return unpack_items(datarep, inbuf, insize, position, outbuf, outcount, datatype);
  });
}
LINTEL_MPI_NAME(MPI_Unpack_external_c);

int PMPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype,
                            MPI_Aint* size) {
  return mpi_call("MPI_Pack_external_size", ObjectKind::kDatatype,
                  [=] { return packed_size(datarep, incount, datatype, size); });
}
LINTEL_MPI_NAME(MPI_Pack_external_size);

int PMPI_Pack_external_size_c(const char datarep[], MPI_Count incount, MPI_Datatype datatype,
                              MPI_Count* size) {
  return mpi_call("MPI_Pack_external_size_c", ObjectKind::kDatatype,
                  [=] { return packed_size(datarep, incount, datatype, size); });
}
LINTEL_MPI_NAME(MPI_Pack_external_size_c);

}  // extern "C"

}  // namespace lintel::mpi
