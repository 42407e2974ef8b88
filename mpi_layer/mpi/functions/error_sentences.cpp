#include "mpi_layer/mpi/functions/error_sentences.h"

#include <iterator>

#include "mpi.h"

namespace lintel::mpi {

namespace {

struct Sentence {
  int error_class;
  const char* text;
};

// Sorted by number.
constexpr Sentence kSentences[] = {
    {MPI_SUCCESS, "MPI_SUCCESS: no error"},
    {MPI_ERR_BUFFER,
     "MPI_ERR_BUFFER: the buffer's address is not valid for this call, for instance null for data "
     "that is not empty"},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT: a count is negative, or too large for this call"},
    {MPI_ERR_TYPE,
     "MPI_ERR_TYPE: the handle names no datatype, or one that was freed, that is not committed, or "
     "that this call does not take"},
    {MPI_ERR_TAG, "MPI_ERR_TAG: the tag is negative or above the attribute MPI_TAG_UB"},
    {MPI_ERR_COMM,
     "MPI_ERR_COMM: the handle names no communicator, or one that was freed or that this call does "
     "not take"},
    {MPI_ERR_RANK, "MPI_ERR_RANK: a rank is not one of the group's, or is named twice"},
    {MPI_ERR_REQUEST,
     "MPI_ERR_REQUEST: the handle names no request, or one that this call does not take"},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT: the root is not a rank of the communicator"},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP: the handle names no group, or one that was freed"},
    {MPI_ERR_OP,
     "MPI_ERR_OP: the handle names no operation, or one that is not defined for this datatype"},
    {MPI_ERR_TOPOLOGY,
     "MPI_ERR_TOPOLOGY: the communicator does not have the topology that this call is about"},
    {MPI_ERR_DIMS, "MPI_ERR_DIMS: the dimensions do not fit the number of processes"},
    {MPI_ERR_ARG,
     "MPI_ERR_ARG: an argument is out of its range, or a pointer that must not be is null"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN: an error of an unknown kind"},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE: the data is longer than the buffer that it was to go to"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER: an error that no other class describes"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN: an error inside of the MPI library"},
    {MPI_ERR_PENDING,
     "MPI_ERR_PENDING: this operation is not complete; another of the call failed"},
    {MPI_ERR_IN_STATUS,
     "MPI_ERR_IN_STATUS: some of the operations failed; their codes are in the statuses"},
    {MPI_ERR_ACCESS, "MPI_ERR_ACCESS: the permission to open the file is missing"},
    {MPI_ERR_AMODE,
     "MPI_ERR_AMODE: the access mode is not valid, or not the same in all processes"},
    {MPI_ERR_ASSERT, "MPI_ERR_ASSERT: the assertion argument is not valid"},
    {MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE: the file name is not valid"},
    {MPI_ERR_BASE, "MPI_ERR_BASE: the base address is not one that MPI_Alloc_mem gave"},
    {MPI_ERR_CONVERSION, "MPI_ERR_CONVERSION: a data conversion function failed"},
    {MPI_ERR_DISP, "MPI_ERR_DISP: the displacement unit of the window is not valid"},
    {MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP: a data representation of this name exists"},
    {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS: the file exists"},
    {MPI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE: the file is open in some process"},
    {MPI_ERR_FILE, "MPI_ERR_FILE: the handle names no file"},
    {MPI_ERR_INFO_KEY,
     "MPI_ERR_INFO_KEY: the key is empty, or longer than MPI_MAX_INFO_KEY allows"},
    {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY: the info object has no such key"},
    {MPI_ERR_INFO_VALUE,
     "MPI_ERR_INFO_VALUE: the value is longer than MPI_MAX_INFO_VAL allows, or not valid for its "
     "key"},
    {MPI_ERR_INFO,
     "MPI_ERR_INFO: the handle names no info object, or one that was freed or may not be changed"},
    {MPI_ERR_IO, "MPI_ERR_IO: input or output failed"},
    {MPI_ERR_KEYVAL,
     "MPI_ERR_KEYVAL: the number is no attribute key of this kind of object, or one that was "
     "freed"},
    {MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE: the kind of lock is not valid"},
    {MPI_ERR_NAME, "MPI_ERR_NAME: no service of that name is published"},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM: there is not enough memory"},
    {MPI_ERR_NOT_SAME,
     "MPI_ERR_NOT_SAME: an argument of the collective call is not the same in all processes"},
    {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE: there is no space left on the device"},
    {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE: the file does not exist"},
    {MPI_ERR_PORT, "MPI_ERR_PORT: the port name is not valid"},
    {MPI_ERR_QUOTA, "MPI_ERR_QUOTA: the quota is exceeded"},
    {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY: the file or file system may not be written"},
    {MPI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH: the memory cannot be attached"},
    {MPI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT: accesses to the window conflict"},
    {MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE: the target memory is not part of the window"},
    {MPI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED: the memory cannot be shared by these processes"},
    {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC: calls that synchronise the window came in a wrong order"},
    {MPI_ERR_SERVICE, "MPI_ERR_SERVICE: the service name is not published by this process"},
    {MPI_ERR_SIZE, "MPI_ERR_SIZE: the size is not valid"},
    {MPI_ERR_SPAWN, "MPI_ERR_SPAWN: processes could not be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP,
     "MPI_ERR_UNSUPPORTED_DATAREP: the data representation is not known"},
    {MPI_ERR_UNSUPPORTED_OPERATION,
     "MPI_ERR_UNSUPPORTED_OPERATION: the library does not provide this"},
    {MPI_ERR_WIN, "MPI_ERR_WIN: the handle names no window"},
    {MPI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR: the call does not fit the way the window was made"},
    {MPI_ERR_PROC_ABORTED, "MPI_ERR_PROC_ABORTED: a process that the operation needs has ended"},
    {MPI_ERR_VALUE_TOO_LARGE,
     "MPI_ERR_VALUE_TOO_LARGE: a number is too large for where it was to be kept"},
    {MPI_ERR_SESSION, "MPI_ERR_SESSION: the handle names no session"},
    {MPI_ERR_ERRHANDLER, "MPI_ERR_ERRHANDLER: the handle names no error handler"},
    {MPI_ERR_ABI, "MPI_ERR_ABI: the program was compiled for another binary interface"},
};

constexpr bool is_in_order() {
  for (int i = 0; i <= MPI_ERR_ABI; ++i) {
    if (kSentences[i].error_class != i) return false;
  }
  return true;
}
static_assert(std::size(kSentences) == MPI_ERR_ABI + 1 && is_in_order());

}  // namespace

const char* error_sentence(int error_class) {
  if (error_class == MPI_ERR_LASTCODE)
    return "MPI_ERR_LASTCODE: the greatest of the predefined codes, which is no error";
  return error_class >= 0 && error_class <= MPI_ERR_ABI ? kSentences[error_class].text : nullptr;
}

}  // namespace lintel::mpi
