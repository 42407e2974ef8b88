// Random nested datatypes compared with their type maps: sizes, bounds, packing and unpacking of
// any range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "tests/mpi_layer/mpi/type_model.h"

namespace lintel::mpi {
namespace {

constexpr unsigned kTypes = 300;

// Memory for `count` items of a modelled type, wherever their bytes are relative to the beginning
// of the first.
class ItemMemory {
 public:
  ItemMemory(const TypeModel& model, std::int64_t count) : offsets_(model.byte_offsets(count)) {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (const std::int64_t offset : offsets_) {
      lowest = std::min(lowest, offset);
      highest = std::max(highest, offset + 1);
    }
    origin_ = -lowest;
    bytes_.resize(static_cast<std::size_t>(highest - lowest) + 1);
  }

  void* items() { return bytes_.data() + origin_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  std::uint8_t& at(std::size_t packed) {
    return bytes_[static_cast<std::size_t>(origin_ + offsets_[packed])];
  }
  std::size_t packed_bytes() const { return offsets_.size(); }
  void fill_randomly(std::mt19937& random) {
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random());
  }

 private:
  std::vector<std::int64_t> offsets_;
  std::int64_t origin_ = 0;
  std::vector<std::uint8_t> bytes_;
};

class RandomType : public ::testing::Test {
 protected:
  // Calls `check(type, random)` for many types. Names the one that failed.
  template <class Check>
  void for_each_type(Check check) {
    for (unsigned seed = 0; seed < kTypes && !HasFailure(); ++seed) {
      ModelledType type = random_type(seed);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + type.how);
      std::mt19937 random(seed + 1);
      check(type, random);
      const DatatypeRef object = find_datatype(type.handle);
      if (!object->is_predefined()) {
        ASSERT_EQ(MPI_Type_free(&type.handle), MPI_SUCCESS);
      }
    }
  }
};

TEST_F(RandomType, SizeAndBoundsAreThoseOfTheTypeMap) {
  for_each_type([](const ModelledType& type, std::mt19937&) {
    MPI_Count size = -1;
    ASSERT_EQ(MPI_Type_size_x(type.handle, &size), MPI_SUCCESS);
    EXPECT_EQ(size, type.model.size());
    MPI_Aint lower = -1;
    MPI_Aint extent = -1;
    ASSERT_EQ(MPI_Type_get_extent(type.handle, &lower, &extent), MPI_SUCCESS);
    EXPECT_EQ(lower, type.model.lower_bound());
    EXPECT_EQ(extent, type.model.extent());
    ASSERT_EQ(MPI_Type_get_true_extent(type.handle, &lower, &extent), MPI_SUCCESS);
    EXPECT_EQ(lower, type.model.true_lower_bound());
    EXPECT_EQ(extent, type.model.true_upper_bound() - type.model.true_lower_bound());
    EXPECT_EQ(find_datatype(type.handle)->shape().elements,
              static_cast<std::int64_t>(type.model.entries.size()));
  });
}

TEST_F(RandomType, PackTakesTheBytesOfTheTypeMapInItsOrder) {
  for_each_type([](ModelledType& type, std::mt19937& random) {
    const int count = static_cast<int>(random() % 4);
    ItemMemory memory(type.model, count);
    memory.fill_randomly(random);
    ASSERT_EQ(MPI_Type_commit(&type.handle), MPI_SUCCESS);
    std::vector<std::uint8_t> packed(memory.packed_bytes() + 8, 0xEE);
    int position = 3;
    ASSERT_EQ(MPI_Pack(memory.items(), count, type.handle, packed.data(),
                       static_cast<int>(packed.size()), &position, MPI_COMM_WORLD),
              MPI_SUCCESS);
    ASSERT_EQ(position, 3 + static_cast<int>(memory.packed_bytes()));
    for (std::size_t i = 0; i < memory.packed_bytes(); ++i)
      ASSERT_EQ(packed[i + 3], memory.at(i)) << "byte " << i;
    EXPECT_EQ(packed[2], 0xEE);
    EXPECT_EQ(packed[memory.packed_bytes() + 3], 0xEE);
  });
}

TEST_F(RandomType, AnyRangeIsPackedAsPartOfTheWhole) {
  for_each_type([](const ModelledType& type, std::mt19937& random) {
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 4);
    ItemMemory memory(type.model, count);
    memory.fill_randomly(random);
    const DatatypeRef object = find_datatype(type.handle);
    const Items items = object->items(reinterpret_cast<std::uintptr_t>(memory.items()), count);
    ASSERT_EQ(items.packed_bytes(), static_cast<std::int64_t>(memory.packed_bytes()));
    for (int attempt = 0; attempt < 8; ++attempt) {
      const std::size_t from = random() % (memory.packed_bytes() + 1);
      const std::size_t bytes = random() % (memory.packed_bytes() - from + 1);
      std::vector<std::byte> part(bytes);
      pack(items, static_cast<std::int64_t>(from), part);
      for (std::size_t i = 0; i < bytes; ++i)
        ASSERT_EQ(static_cast<std::uint8_t>(part[i]), memory.at(from + i)) << from << " + " << i;
    }
  });
}

TEST_F(RandomType, UnpackingPartsInAnyOrderGivesTheItemsBackAndTouchesNothingElse) {
  for_each_type([](const ModelledType& type, std::mt19937& random) {
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 3);
    ItemMemory memory(type.model, count);
    memory.fill_randomly(random);
    const DatatypeRef object = find_datatype(type.handle);
    std::vector<std::byte> packed(memory.packed_bytes());
    pack(object->items(reinterpret_cast<std::uintptr_t>(memory.items()), count), 0, packed);

    ItemMemory copy(type.model, count);
    ItemMemory expected(type.model, count);
    std::fill(copy.bytes().begin(), copy.bytes().end(), 0xA5);
    std::fill(expected.bytes().begin(), expected.bytes().end(), 0xA5);
    for (std::size_t i = 0; i < packed.size(); ++i) expected.at(i) = memory.at(i);

    std::vector<std::size_t> cuts = {0, packed.size()};
    for (int i = 0; i < 5; ++i) cuts.push_back(random() % (packed.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::size_t> parts(cuts.size() - 1);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i;
    std::shuffle(parts.begin(), parts.end(), random);
    for (const std::size_t i : parts) {
      unpack(object->items(reinterpret_cast<std::uintptr_t>(copy.items()), count),
             static_cast<std::int64_t>(cuts[i]),
             std::span(packed).subspan(cuts[i], cuts[i + 1] - cuts[i]));
    }
    EXPECT_EQ(copy.bytes(), expected.bytes());
  });
}

TEST_F(RandomType, GatheredPiecesAreThePackedStream) {
  for_each_type([](const ModelledType& type, std::mt19937& random) {
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 3);
    ItemMemory memory(type.model, count);
    memory.fill_randomly(random);
    const DatatypeRef object = find_datatype(type.handle);
    const Items items = object->items(reinterpret_cast<std::uintptr_t>(memory.items()), count);
    const std::size_t limit = 1 + random() % 7;
    std::size_t at = 0;
    while (at < memory.packed_bytes()) {
      std::vector<std::span<std::byte>> pieces;
      const std::int64_t end =
          gather(items, static_cast<std::int64_t>(at), items.packed_bytes(), limit, pieces);
      ASSERT_LE(pieces.size(), limit);
      ASSERT_GT(end, static_cast<std::int64_t>(at));
      for (const std::span<std::byte> piece : pieces) {
        for (const std::byte& byte : piece)
          ASSERT_EQ(reinterpret_cast<const std::uint8_t*>(&byte), &memory.at(at++));
      }
      ASSERT_EQ(end, static_cast<std::int64_t>(at));
    }
  });
}

TEST_F(RandomType, ContiguousMeansThatTheBytesAreNeighboursInOrder) {
  int contiguous = 0;
  for_each_type([&](const ModelledType& type, std::mt19937& random) {
    const std::int64_t count = static_cast<std::int64_t>(random() % 3);
    const std::vector<std::int64_t> offsets = type.model.byte_offsets(count);
    bool neighbours = true;
    for (std::size_t i = 1; i < offsets.size(); ++i)
      neighbours = neighbours && offsets[i] == offsets[i - 1] + 1;
    ItemMemory memory(type.model, count);
    const DatatypeRef object = find_datatype(type.handle);
    const Items items = object->items(reinterpret_cast<std::uintptr_t>(memory.items()), count);
    if (count == 1) {
      EXPECT_EQ(items.is_contiguous(), neighbours);
    }
    if (!items.is_contiguous()) return;
    EXPECT_TRUE(neighbours);
    if (offsets.empty()) return;
    EXPECT_EQ(reinterpret_cast<std::uint8_t*>(items.begin()), &memory.at(0));
    ++contiguous;
  });
  EXPECT_GT(contiguous, 30);
}

TEST_F(RandomType, ElementsOfAnyNumberOfBytesAreThoseOfTheTypeMap) {
  for_each_type([](const ModelledType& type, std::mt19937&) {
    if (type.model.entries.empty()) return;
    MPI_Status status = {};
    MPI_Count elements = 0;
    const std::int64_t size = type.model.size();
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i <= 2 * type.model.entries.size() && i < 60; ++i) {
      ASSERT_EQ(MPI_Status_set_elements_x(&status, type.handle, static_cast<MPI_Count>(i)),
                MPI_SUCCESS);
      ASSERT_EQ(MPI_Get_elements_x(&status, type.handle, &elements), MPI_SUCCESS);
      ASSERT_EQ(elements, static_cast<MPI_Count>(i));
      MPI_Count in_bytes = 0;
      ASSERT_EQ(MPI_Get_count_c(&status, MPI_BYTE, &in_bytes), MPI_SUCCESS);
      ASSERT_EQ(in_bytes, bytes);
      MPI_Count items = 0;
      ASSERT_EQ(MPI_Get_count_c(&status, type.handle, &items), MPI_SUCCESS);
      ASSERT_EQ(items, bytes % size == 0 ? bytes / size : std::int64_t{MPI_UNDEFINED});
      const std::int64_t next = type.model.entries[i % type.model.entries.size()].bytes;
      if (next > 1) {  // one byte more ends inside an element
        ASSERT_EQ(MPI_Status_set_elements_x(&status, MPI_BYTE, bytes + 1), MPI_SUCCESS);
        ASSERT_EQ(MPI_Get_elements_x(&status, type.handle, &elements), MPI_SUCCESS);
        ASSERT_EQ(elements, MPI_UNDEFINED);
      }
      bytes += next;
    }
  });
}

}  // namespace
}  // namespace lintel::mpi
