// Error classes, codes and texts (MPI 5.0, clauses 9.4 and 9.5).
#include <cstring>
#include <string>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/error_sentences.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

bool is_class(int number) {
  return error_sentence(number) != nullptr || local_objects().errors.is_class(number);
}

int class_of(int code, int* error_class) {
  if (error_class == nullptr) return MPI_ERR_ARG;
  if (error_sentence(code) != nullptr) {
    *error_class = code;
    return MPI_SUCCESS;
  }
  const auto added = local_objects().errors.class_of(code);
  if (!added) return MPI_ERR_ARG;
  *error_class = *added;
  return MPI_SUCCESS;
}

int describe(int code, char* string, int* resultlen) {
  if (const int error = check_pointers({string, resultlen}); error != MPI_SUCCESS) return error;
  const char* sentence = error_sentence(code);
  const auto added = sentence == nullptr ? local_objects().errors.text(code) : std::nullopt;
  if (sentence == nullptr && !added) return MPI_ERR_ARG;
  *resultlen = copy_text(sentence != nullptr ? std::string_view(sentence) : *added, string,
                         MPI_MAX_ERROR_STRING);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Error_class(int errorcode, int* errorclass) {
  return mpi_call("MPI_Error_class", ObjectKind::kNone,
                  [=] { return class_of(errorcode, errorclass); });
}
LINTEL_MPI_NAME(MPI_Error_class);

int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  return mpi_call("MPI_Error_string", ObjectKind::kNone,
                  [=] { return describe(errorcode, string, resultlen); });
}
LINTEL_MPI_NAME(MPI_Error_string);

int PMPI_Add_error_class(int* errorclass) {
  return mpi_call("MPI_Add_error_class", ObjectKind::kNone, [=]() -> int {
    if (errorclass == nullptr) return MPI_ERR_ARG;
    *errorclass = local_objects().errors.add_class();
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Add_error_class);

int PMPI_Add_error_code(int errorclass, int* errorcode) {
  return mpi_call("MPI_Add_error_code", ObjectKind::kNone, [=]() -> int {
    if (errorcode == nullptr || !is_class(errorclass)) return MPI_ERR_ARG;
    *errorcode = local_objects().errors.add_code(errorclass);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Add_error_code);

int PMPI_Add_error_string(int errorcode, const char* string) {
  return mpi_call("MPI_Add_error_string", ObjectKind::kNone, [=]() -> int {
    if (string == nullptr) return MPI_ERR_ARG;
    std::string text(string, strnlen(string, MPI_MAX_ERROR_STRING - 1));
    return local_objects().errors.set_text(errorcode, std::move(text)) ? MPI_SUCCESS : MPI_ERR_ARG;
  });
}
LINTEL_MPI_NAME(MPI_Add_error_string);

}  // extern "C"

}  // namespace lintel::mpi
