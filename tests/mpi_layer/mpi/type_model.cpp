#include "tests/mpi_layer/mpi/type_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace lintel::mpi {

TypeModel TypeModel::basic(std::int64_t bytes, std::int64_t alignment) {
  TypeModel model;
  model.entries.push_back({0, bytes});
  model.alignment = alignment;
  return model;
}

std::int64_t TypeModel::size() const {
  std::int64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  return bytes;
}

std::int64_t TypeModel::true_lower_bound() const {
  std::int64_t bound = entries.empty() ? 0 : entries[0].offset;
  for (const Entry& entry : entries) bound = std::min(bound, entry.offset);
  return bound;
}

std::int64_t TypeModel::true_upper_bound() const {
  std::int64_t bound = entries.empty() ? 0 : entries[0].offset + entries[0].bytes;
  for (const Entry& entry : entries) bound = std::max(bound, entry.offset + entry.bytes);
  return bound;
}

std::int64_t TypeModel::lower_bound() const { return lower_marker.value_or(true_lower_bound()); }

std::int64_t TypeModel::extent() const {
  if (upper_marker) return *upper_marker - lower_bound();
  const std::int64_t span = true_upper_bound() - lower_bound();
  return (span + alignment - 1) / alignment * alignment;
}

std::vector<std::int64_t> TypeModel::byte_offsets(std::int64_t count) const {
  std::vector<std::int64_t> offsets;
  for (std::int64_t item = 0; item < count; ++item) {
    for (const Entry& entry : entries) {
      for (std::int64_t byte = 0; byte < entry.bytes; ++byte)
        offsets.push_back(item * extent() + entry.offset + byte);
    }
  }
  return offsets;
}

void TypeModel::append(const TypeModel& other, std::int64_t displacement) {
  for (const Entry& entry : other.entries)
    entries.push_back({entry.offset + displacement, entry.bytes});
  if (other.lower_marker)
    lower_marker = std::min(lower_marker.value_or(INT64_MAX), *other.lower_marker + displacement);
  if (other.upper_marker)
    upper_marker = std::max(upper_marker.value_or(INT64_MIN), *other.upper_marker + displacement);
  alignment = std::max(alignment, other.alignment);
}

namespace {

constexpr std::size_t kMostEntries = 500;

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  ModelledType make(int depth) {
    if (depth == 0 || number(0, 5) == 0) return basic();
    switch (number(0, 10)) {
      case 0: return contiguous(depth);
      case 1: return vector(depth, false);
      case 2: return vector(depth, true);
      case 3: return indexed(depth, false);
      case 4: return indexed(depth, true);
      case 5: return indexed_block(depth, false);
      case 6: return indexed_block(depth, true);
      case 7: return structure(depth);
      case 8: return subarray(depth);
      case 9: return resized(depth);
      default: return duplicate(depth);
    }
  }

 private:
  int number(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  std::vector<int> numbers(int count, int from, int to) {
    std::vector<int> all(static_cast<std::size_t>(count));
    for (int& each : all) each = number(from, to);
    return all;
  }

  ModelledType basic() {
    switch (number(0, 4)) {
      case 0: return {MPI_BYTE, TypeModel::basic(1, 1), "byte"};
      case 1: return {MPI_SHORT, TypeModel::basic(2, 2), "short"};
      case 2: return {MPI_INT, TypeModel::basic(4, 4), "int"};
      case 3: return {MPI_DOUBLE, TypeModel::basic(8, 8), "double"};
      default: {
        TypeModel pair = TypeModel::basic(2, 2);
        pair.append(TypeModel::basic(4, 4), 4);
        return {MPI_SHORT_INT, pair, "short_int"};
      }
    }
  }

  // Returns the new type, or the old one if the model would be too large to check.
  ModelledType finish(ModelledType old, TypeModel model, std::string how,
                      const std::function<int(MPI_Datatype, MPI_Datatype*)>& construct) {
    if (model.entries.size() > kMostEntries) return old;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    EXPECT_EQ(construct(old.handle, &made), MPI_SUCCESS) << how;
    release(old.handle);
    return {made, std::move(model), how + "(" + old.how + ")"};
  }
  static void release(MPI_Datatype handle) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    MPI_Type_get_envelope(handle, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return;
    EXPECT_EQ(MPI_Type_free(&handle), MPI_SUCCESS);
  }

  static std::string list(const std::vector<int>& all) {
    std::string text;
    for (const int each : all) text.append(" ").append(std::to_string(each));
    return text;
  }

  ModelledType contiguous(int depth) {
    ModelledType old = make(depth - 1);
    const int count = number(0, 6);
    TypeModel model;
    for (int i = 0; i < count; ++i) model.append(old.model, i * old.model.extent());
    return finish(old, model, "contiguous " + std::to_string(count),
                  [=](MPI_Datatype type, MPI_Datatype* made) {
                    return MPI_Type_contiguous(count, type, made);
                  });
  }

  ModelledType vector(int depth, bool in_bytes) {
    ModelledType old = make(depth - 1);
    const int count = number(0, 5);
    const int length = number(0, 4);
    const int stride = in_bytes ? number(-40, 60) : number(-6, 6);
    const std::int64_t step = in_bytes ? stride : stride * old.model.extent();
    TypeModel model;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < length; ++j) model.append(old.model, i * step + j * old.model.extent());
    }
    return finish(old, model, (in_bytes ? "hvector" : "vector") + list({count, length, stride}),
                  [=](MPI_Datatype type, MPI_Datatype* made) {
                    return in_bytes ? MPI_Type_create_hvector(count, length, stride, type, made)
                                    : MPI_Type_vector(count, length, stride, type, made);
                  });
  }

  ModelledType indexed(int depth, bool in_bytes) {
    ModelledType old = make(depth - 1);
    const int count = number(0, 5);
    const std::vector<int> lengths = numbers(count, 0, 3);
    const std::vector<int> displacements =
        in_bytes ? numbers(count, -50, 80) : numbers(count, -5, 9);
    const std::vector<MPI_Aint> addresses(displacements.begin(), displacements.end());
    TypeModel model;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::int64_t begin =
          in_bytes ? displacements[i] : displacements[i] * old.model.extent();
      for (int j = 0; j < lengths[i]; ++j) model.append(old.model, begin + j * old.model.extent());
    }
    return finish(
        old, model, (in_bytes ? "hindexed" : "indexed") + list(lengths) + ";" + list(displacements),
        [&](MPI_Datatype type, MPI_Datatype* made) {
          return in_bytes
                     ? MPI_Type_create_hindexed(count, lengths.data(), addresses.data(), type, made)
                     : MPI_Type_indexed(count, lengths.data(), displacements.data(), type, made);
        });
  }

  ModelledType indexed_block(int depth, bool in_bytes) {
    ModelledType old = make(depth - 1);
    const int count = number(0, 6);
    const int length = number(0, 3);
    const std::vector<int> displacements =
        in_bytes ? numbers(count, -50, 80) : numbers(count, -5, 9);
    const std::vector<MPI_Aint> addresses(displacements.begin(), displacements.end());
    TypeModel model;
    for (const int displacement : displacements) {
      const std::int64_t begin = in_bytes ? displacement : displacement * old.model.extent();
      for (int j = 0; j < length; ++j) model.append(old.model, begin + j * old.model.extent());
    }
    return finish(old, model,
                  (in_bytes ? "hindexed_block " : "indexed_block ") + std::to_string(length) + ";" +
                      list(displacements),
                  [&](MPI_Datatype type, MPI_Datatype* made) {
                    return in_bytes ? MPI_Type_create_hindexed_block(count, length,
                                                                     addresses.data(), type, made)
                                    : MPI_Type_create_indexed_block(
                                          count, length, displacements.data(), type, made);
                  });
  }

  ModelledType structure(int depth) {
    const int count = number(0, 4);
    const std::vector<int> lengths = numbers(count, 0, 3);
    const std::vector<int> displacements = numbers(count, -60, 90);
    const std::vector<MPI_Aint> addresses(displacements.begin(), displacements.end());
    std::vector<MPI_Datatype> types;
    TypeModel model;
    std::string how = "struct" + list(lengths) + ";" + list(displacements) + "(";
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const ModelledType part = make(depth - 1);
      types.push_back(part.handle);
      how += part.how + ",";
      for (int j = 0; j < lengths[i]; ++j)
        model.append(part.model, addresses[i] + j * part.model.extent());
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_create_struct(count, lengths.data(), addresses.data(), types.data(), &made),
              MPI_SUCCESS)
        << how;
    for (const MPI_Datatype type : types) release(type);
    if (model.entries.size() > kMostEntries) {
      release(made);
      return basic();
    }
    return {made, model, how + ")"};
  }

  ModelledType subarray(int depth) {
    ModelledType old = make(depth - 1);
    const int dimensions = number(1, 3);
    std::vector<int> sizes;
    std::vector<int> subsizes;
    std::vector<int> starts;
    for (int i = 0; i < dimensions; ++i) {
      sizes.push_back(number(1, 4));
      subsizes.push_back(number(1, sizes.back()));
      starts.push_back(number(0, sizes.back() - subsizes.back()));
    }
    const int order = number(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    TypeModel model;
    std::int64_t total = 1;
    for (const int size : sizes) total *= size;
    // Visits every index of the array in the order of memory. Those inside are in the type map.
    for (std::int64_t cell = 0; cell < total; ++cell) {
      bool inside = true;
      std::int64_t rest = cell;
      for (int step = 0; step < dimensions; ++step) {
        const auto i =
            static_cast<std::size_t>(order == MPI_ORDER_C ? dimensions - 1 - step : step);
        const std::int64_t index = rest % sizes[i];
        rest /= sizes[i];
        inside = inside && index >= starts[i] && index < starts[i] + subsizes[i];
      }
      if (inside) model.append(old.model, cell * old.model.extent());
    }
    model.lower_marker = 0;
    model.upper_marker = total * old.model.extent();
    return finish(old, model, "subarray" + list(sizes) + ";" + list(subsizes) + ";" + list(starts),
                  [&](MPI_Datatype type, MPI_Datatype* made) {
                    return MPI_Type_create_subarray(dimensions, sizes.data(), subsizes.data(),
                                                    starts.data(), order, type, made);
                  });
  }

  ModelledType resized(int depth) {
    ModelledType old = make(depth - 1);
    const int lower = number(-20, 20);
    const int extent = number(-60, 100);
    TypeModel model = old.model;
    model.lower_marker = lower;
    model.upper_marker = lower + extent;
    return finish(old, model, "resized" + list({lower, extent}),
                  [=](MPI_Datatype type, MPI_Datatype* made) {
                    return MPI_Type_create_resized(type, lower, extent, made);
                  });
  }

  ModelledType duplicate(int depth) {
    ModelledType old = make(depth - 1);
    return finish(old, old.model, "dup",
                  [](MPI_Datatype type, MPI_Datatype* made) { return MPI_Type_dup(type, made); });
  }

  std::mt19937 random_;
};

}  // namespace

ModelledType random_type(unsigned seed) {
  RandomTypes types(seed);
  return types.make(1 + static_cast<int>(seed % 5));
}

}  // namespace lintel::mpi
