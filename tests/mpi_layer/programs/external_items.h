#pragma once
// What the tests of data between jobs share. Ranks 0 and 1 are of one job and rank 2 of another,
// which exchange external32. Rank 3 observes the bytes sent: the others treat it as a process of
// another job, and it treats no rank so.

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "as_jobs.h"
#include "check.h"

using Bytes = std::vector<unsigned char>;

constexpr int kLocal = 1, kRemote = 2, kObserver = 3;
constexpr int kAny = MPI_ANY_SOURCE;

struct Mixed {
  char letter;
  long number;
  short pair[2];
  double fraction;
};

inline MPI_Datatype mixed_type() {
  static const MPI_Datatype type = [] {
    const int lengths[] = {1, 1, 2, 1};
    const MPI_Aint places[] = {offsetof(Mixed, letter), offsetof(Mixed, number),
                               offsetof(Mixed, pair), offsetof(Mixed, fraction)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_SHORT, MPI_DOUBLE};
    MPI_Datatype structure, resized;
    MPI_Type_create_struct(4, lengths, places, types, &structure);
    MPI_Type_create_resized(structure, 0, sizeof(Mixed), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&structure);
    return resized;
  }();
  return type;
}

// Two longs with a hole between them: three longs of memory.
inline MPI_Datatype holed_type() {
  static const MPI_Datatype type = [] {
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    return vector;
  }();
  return type;
}

constexpr long kHole = -77;

// `items` items of a kind, with values that follow from `seed`, or zero.
struct ItemKind {
  const char* name;
  MPI_Datatype type;
  int elements;  // of an item
  std::size_t extent;
  std::function<void(unsigned char* item, int seed)> write;
};

inline const std::vector<ItemKind>& kinds() {
  static const std::vector<ItemKind> all = {
      {"int", MPI_INT, 1, sizeof(int),
       [](unsigned char* item, int seed) { std::memcpy(item, &seed, sizeof seed); }},
      {"long", MPI_LONG, 1, sizeof(long),
       [](unsigned char* item, int seed) {
         const long value = seed % 2 == 0 ? seed : -seed;
         std::memcpy(item, &value, sizeof value);
       }},
      {"holed", holed_type(), 2, 3 * sizeof(long),
       [](unsigned char* item, int seed) {
         const long values[] = {seed, kHole, -2L * seed};
         std::memcpy(item, values, sizeof values);
       }},
      {"mixed", mixed_type(), 5, sizeof(Mixed),
       [](unsigned char* item, int seed) {
         Mixed value;
         std::memset(static_cast<void*>(&value), 0, sizeof value);
         value.letter = static_cast<char>('a' + seed % 26);
         value.number = -seed;
         value.pair[0] = static_cast<short>(seed % 1000);
         value.pair[1] = 7;
         value.fraction = seed * 0.5;
         std::memcpy(item, &value, sizeof value);
       }},
      {"byte", MPI_BYTE, 1, 1,
       [](unsigned char* item, int seed) { *item = static_cast<unsigned char>(seed); }},
  };
  return all;
}

inline Bytes items_of(const ItemKind& kind, int items, int seed) {
  Bytes memory(kind.extent * static_cast<std::size_t>(items) + 1);
  for (int i = 0; i < items; ++i)
    kind.write(memory.data() + static_cast<std::size_t>(i) * kind.extent, seed + i);
  return memory;
}
// Memory for them, in which only what lies between the values has its final content.
inline Bytes room_of(const ItemKind& kind, int items) {
  Bytes memory(kind.extent * static_cast<std::size_t>(items) + 1);
  if (kind.type != holed_type()) return memory;
  for (int i = 0; i < items; ++i) {
    const long values[] = {0, kHole, 0};
    std::memcpy(memory.data() + static_cast<std::size_t>(i) * kind.extent, values, sizeof values);
  }
  return memory;
}

inline void check_count(const MPI_Status& status, const ItemKind& kind, int items) {
  int count = -1, elements = -1;
  MPI_Get_count(&status, kind.type, &count);
  MPI_Get_elements(&status, kind.type, &elements);
  CHECK(count == items && elements == items * kind.elements);
}

// MPI_Init, and which rank is of which job from then on.
inline void begin_as_jobs() {
  begin();
  CHECK(world_size == 4);
  set_external_ranks([](int other, int own) {
    return own != kObserver && (other == kObserver || (other == kRemote) != (own == kRemote));
  });
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}
