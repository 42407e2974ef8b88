#pragma once
// TypeModel: a datatype as the standard defines it, one entry for each basic element. Slow, and
// independent of the library's implementation.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {

struct TypeModel {
  struct Entry {
    std::int64_t offset;
    std::int64_t bytes;
  };
  std::vector<Entry> entries;  // the type map, in order
  std::optional<std::int64_t> lower_marker;
  std::optional<std::int64_t> upper_marker;
  std::int64_t alignment = 1;

  static TypeModel basic(std::int64_t bytes, std::int64_t alignment);

  std::int64_t size() const;
  std::int64_t true_lower_bound() const;
  std::int64_t true_upper_bound() const;
  std::int64_t lower_bound() const;
  std::int64_t extent() const;
  // Offsets of all bytes of `count` items, in packing order.
  std::vector<std::int64_t> byte_offsets(std::int64_t count) const;
  // Appends `other`, moved by `displacement`.
  void append(const TypeModel& other, std::int64_t displacement);
};

// A random datatype and its model, made with the C functions. The caller frees the handle.
struct ModelledType {
  MPI_Datatype handle;
  TypeModel model;
  std::string how;  // the constructors, outermost first
};
ModelledType random_type(unsigned seed);

}  // namespace lintel::mpi
