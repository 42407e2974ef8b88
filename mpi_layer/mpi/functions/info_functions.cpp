// Info objects (MPI 5.0, chapter 10).
#include <algorithm>
#include <cstring>
#include <string>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

bool is_key(const char* key) {
  return key != nullptr && *key != '\0' && strnlen(key, MPI_MAX_INFO_KEY) < MPI_MAX_INFO_KEY;
}

// The object that a call changes or frees, which must not be predefined.
std::shared_ptr<Info> find_own_info(MPI_Info handle) {
  return local_objects().infos.find(number_of(handle));
}

int set(MPI_Info handle, const char* key, const char* value) {
  const std::shared_ptr<Info> info = find_own_info(handle);
  if (!info) return MPI_ERR_INFO;
  if (!is_key(key)) return MPI_ERR_INFO_KEY;
  if (value == nullptr || strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL)
    return MPI_ERR_INFO_VALUE;
  info->set(key, value);
  return MPI_SUCCESS;
}

// Looks up a key. `*value` is nothing if the object has no such key.
int look_up(MPI_Info handle, const char* key, std::optional<std::string>* value) {
  const std::shared_ptr<Info> info = find_info(handle);
  if (!info) return MPI_ERR_INFO;
  if (!is_key(key)) return MPI_ERR_INFO_KEY;
  *value = info->get(key);
  return MPI_SUCCESS;
}

int get(MPI_Info handle, const char* key, int valuelen, char* value, int* flag) {
  std::optional<std::string> found;
  if (const int error = look_up(handle, key, &found); error != MPI_SUCCESS) return error;
  if (valuelen < 0 || value == nullptr || flag == nullptr) return MPI_ERR_ARG;
  *flag = found ? 1 : 0;
  if (found) copy_text(*found, value, static_cast<std::size_t>(valuelen) + 1);
  return MPI_SUCCESS;
}

int get_string(MPI_Info handle, const char* key, int* buflen, char* value, int* flag) {
  std::optional<std::string> found;
  if (const int error = look_up(handle, key, &found); error != MPI_SUCCESS) return error;
  if (buflen == nullptr || flag == nullptr || *buflen < 0 || (*buflen > 0 && value == nullptr))
    return MPI_ERR_ARG;
  *flag = found ? 1 : 0;
  if (!found) return MPI_SUCCESS;
  if (*buflen > 0) copy_text(*found, value, static_cast<std::size_t>(*buflen));
  *buflen = static_cast<int>(found->size()) + 1;
  return MPI_SUCCESS;
}

}  // namespace

int give_info(std::shared_ptr<Info> info, MPI_Info* handle) {
  const std::uintptr_t number = local_objects().infos.add(std::move(info));
  if (number == 0) return MPI_ERR_NO_MEM;
  *handle = handle_of<MPI_Info>(number);
  return MPI_SUCCESS;
}

extern "C" {

int PMPI_Info_create(MPI_Info* info) {
  return mpi_call("MPI_Info_create", ObjectKind::kInfo, [=]() -> int {
    return info != nullptr ? give_info(std::make_shared<Info>(), info) : MPI_ERR_ARG;
  });
}
LINTEL_MPI_NAME(MPI_Info_create);

int PMPI_Info_free(MPI_Info* info) {
  return mpi_call("MPI_Info_free", ObjectKind::kInfo, [=]() -> int {
    if (info == nullptr) return MPI_ERR_ARG;
    if (!local_objects().infos.remove(number_of(*info))) return MPI_ERR_INFO;
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Info_free);

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  return mpi_call("MPI_Info_dup", ObjectKind::kInfo, [=]() -> int {
    const std::shared_ptr<Info> original = find_info(info);
    if (!original) return MPI_ERR_INFO;
    return newinfo != nullptr ? give_info(std::make_shared<Info>(*original), newinfo) : MPI_ERR_ARG;
  });
}
LINTEL_MPI_NAME(MPI_Info_dup);

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  return mpi_call("MPI_Info_set", ObjectKind::kInfo, [=] { return set(info, key, value); });
}
LINTEL_MPI_NAME(MPI_Info_set);

int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  return mpi_call("MPI_Info_get", ObjectKind::kInfo,
                  [=] { return get(info, key, valuelen, value, flag); });
}
LINTEL_MPI_NAME(MPI_Info_get);

int PMPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  return mpi_call("MPI_Info_get_string", ObjectKind::kInfo,
                  [=] { return get_string(info, key, buflen, value, flag); });
}
LINTEL_MPI_NAME(MPI_Info_get_string);

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  return mpi_call("MPI_Info_get_valuelen", ObjectKind::kInfo, [=]() -> int {
    std::optional<std::string> found;
    if (const int error = look_up(info, key, &found); error != MPI_SUCCESS) return error;
    if (const int error = check_pointers({valuelen, flag}); error != MPI_SUCCESS) return error;
    *flag = found ? 1 : 0;
    if (found) *valuelen = static_cast<int>(found->size());
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Info_get_valuelen);

int PMPI_Info_delete(MPI_Info info, const char* key) {
  return mpi_call("MPI_Info_delete", ObjectKind::kInfo, [=]() -> int {
    const std::shared_ptr<Info> own = find_own_info(info);
    if (!own) return MPI_ERR_INFO;
    if (!is_key(key)) return MPI_ERR_INFO_KEY;
    return own->erase(key) ? MPI_SUCCESS : MPI_ERR_INFO_NOKEY;
  });
}
LINTEL_MPI_NAME(MPI_Info_delete);

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  return mpi_call("MPI_Info_get_nkeys", ObjectKind::kInfo, [=]() -> int {
    const std::shared_ptr<Info> found = find_info(info);
    if (!found) return MPI_ERR_INFO;
    if (nkeys == nullptr) return MPI_ERR_ARG;
    *nkeys = found->size();
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Info_get_nkeys);

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  return mpi_call("MPI_Info_get_nthkey", ObjectKind::kInfo, [=]() -> int {
    const std::shared_ptr<Info> found = find_info(info);
    if (!found) return MPI_ERR_INFO;
    const std::optional<std::string> name = found->key(n);
    if (!name || key == nullptr) return MPI_ERR_ARG;
    copy_text(*name, key, MPI_MAX_INFO_KEY);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Info_get_nthkey);

// Returns an empty object, because this library has no hints about the start of the process.
int PMPI_Info_create_env(int /*argc*/, char* /*argv*/[], MPI_Info* info) {
  return mpi_call("MPI_Info_create_env", ObjectKind::kInfo, [=]() -> int {
    return info != nullptr ? give_info(std::make_shared<Info>(), info) : MPI_ERR_ARG;
  });
}
LINTEL_MPI_NAME(MPI_Info_create_env);

}  // extern "C"

}  // namespace lintel::mpi
