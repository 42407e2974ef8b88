// MPI_Type_create_darray: every element of the array belongs to exactly one process, by the
// standard's rule. (Subarrays are among the random types.)
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

struct Dimension {
  int size;
  int processes;
  int distribution;
  int argument;
};

// The process of the dimension to which an index belongs (MPI 5.0, clause 5.1.4).
int owner(const Dimension& dimension, int index) {
  const bool by_default = dimension.argument == MPI_DISTRIBUTE_DFLT_DARG;
  switch (dimension.distribution) {
    case MPI_DISTRIBUTE_BLOCK: {
      const int block = by_default
                            ? (dimension.size + dimension.processes - 1) / dimension.processes
                            : dimension.argument;
      return index / block;
    }
    case MPI_DISTRIBUTE_CYCLIC:
      return index / (by_default ? 1 : dimension.argument) % dimension.processes;
    default: return 0;
  }
}

Dimension random_dimension(std::mt19937& random) {
  const int size = 1 + static_cast<int>(random() % 9);
  const int processes = 1 + static_cast<int>(random() % 3);
  switch (random() % 4) {
    case 0: return {size, 1, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG};
    case 1: return {size, processes, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG};
    case 2:
      return {size, processes, MPI_DISTRIBUTE_BLOCK,
              (size + processes - 1) / processes + static_cast<int>(random() % 2)};
    default:
      return {size, processes, MPI_DISTRIBUTE_CYCLIC,
              random() % 2 == 0 ? MPI_DISTRIBUTE_DFLT_DARG : 1 + static_cast<int>(random() % 4)};
  }
}

// The elements of the array that belong to the process with these coordinates, by their place in
// memory.
std::vector<int> expected_elements(const std::vector<Dimension>& dimensions,
                                   const std::vector<int>& coordinates, int order) {
  int total = 1;
  for (const Dimension& dimension : dimensions) total *= dimension.size;
  std::vector<int> elements;
  for (int cell = 0; cell < total; ++cell) {
    int rest = cell;
    bool mine = true;
    for (std::size_t step = 0; step < dimensions.size(); ++step) {
      const std::size_t i = order == MPI_ORDER_C ? dimensions.size() - 1 - step : step;
      mine = mine && owner(dimensions[i], rest % dimensions[i].size) == coordinates[i];
      rest /= dimensions[i].size;
    }
    if (mine) elements.push_back(cell);
  }
  return elements;
}

TEST(DistributedArray, EachProcessHasTheElementsOfItsBlocks) {
  std::mt19937 random(5);
  for (int attempt = 0; attempt < 150; ++attempt) {
    std::vector<Dimension> dimensions(1 + random() % 3);
    std::vector<int> sizes;
    std::vector<int> distributions;
    std::vector<int> arguments;
    std::vector<int> processes;
    int total = 1;
    int grid = 1;
    for (Dimension& dimension : dimensions) {
      dimension = random_dimension(random);
      sizes.push_back(dimension.size);
      distributions.push_back(dimension.distribution);
      arguments.push_back(dimension.argument);
      processes.push_back(dimension.processes);
      total *= dimension.size;
      grid *= dimension.processes;
    }
    const int order = random() % 2 == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    std::vector<int> array(static_cast<std::size_t>(total));
    std::iota(array.begin(), array.end(), 0);
    for (int rank = 0; rank < grid; ++rank) {
      std::vector<int> coordinates(dimensions.size());
      for (std::size_t i = dimensions.size(), rest = static_cast<std::size_t>(rank); i-- > 0;) {
        coordinates[i] = static_cast<int>(rest % static_cast<std::size_t>(processes[i]));
        rest /= static_cast<std::size_t>(processes[i]);
      }
      const std::vector<int> expected = expected_elements(dimensions, coordinates, order);
      MPI_Datatype type = MPI_DATATYPE_NULL;
      ASSERT_EQ(MPI_Type_create_darray(grid, rank, static_cast<int>(dimensions.size()),
                                       sizes.data(), distributions.data(), arguments.data(),
                                       processes.data(), order, MPI_INT, &type),
                MPI_SUCCESS);
      ASSERT_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
      MPI_Aint lower = -1;
      MPI_Aint extent = -1;
      ASSERT_EQ(MPI_Type_get_extent(type, &lower, &extent), MPI_SUCCESS);
      EXPECT_EQ(lower, 0);
      EXPECT_EQ(extent, total * 4);
      std::vector<int> packed(expected.size());
      int position = 0;
      ASSERT_EQ(MPI_Pack(array.data(), 1, type, packed.data(), static_cast<int>(packed.size() * 4),
                         &position, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(position, static_cast<int>(expected.size() * 4));
      EXPECT_EQ(packed, expected);
      ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    }
  }
}

TEST(DistributedArray, WhatDoesNotCoverTheArrayIsRefused) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto create = [&](int size, int rank, Dimension dimension, int order) {
    return MPI_Type_create_darray(size, rank, 1, &dimension.size, &dimension.distribution,
                                  &dimension.argument, &dimension.processes, order, MPI_INT, &type);
  };
  EXPECT_EQ(create(3, 0, {10, 3, MPI_DISTRIBUTE_BLOCK, 3}, MPI_ORDER_C), MPI_ERR_ARG)
      << "three blocks of three for ten";
  EXPECT_EQ(create(3, 0, {10, 3, MPI_DISTRIBUTE_NONE, 0}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(create(3, 3, {10, 3, MPI_DISTRIBUTE_CYCLIC, 1}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(create(4, 0, {10, 3, MPI_DISTRIBUTE_CYCLIC, 1}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(create(3, 0, {0, 3, MPI_DISTRIBUTE_CYCLIC, 1}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(create(3, 0, {10, 3, MPI_DISTRIBUTE_CYCLIC, 0}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(create(3, 0, {10, 3, 99, 1}, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(create(3, 0, {10, 3, MPI_DISTRIBUTE_CYCLIC, 1}, 0), MPI_ERR_ARG);
  EXPECT_EQ(type, MPI_DATATYPE_NULL);
}

TEST(DistributedArray, ABlockLargerThanTheArrayIsAllOfIt) {
  const int size = 5;
  const int distribution = MPI_DISTRIBUTE_CYCLIC;
  const int argument = 2147483647;
  const int processes = 2;
  MPI_Datatype large = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_resized(MPI_INT, 0, MPI_Aint{1} << 40, &large), MPI_SUCCESS);
  for (int rank = 0; rank < processes; ++rank) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_create_darray(2, rank, 1, &size, &distribution, &argument, &processes,
                                     MPI_ORDER_C, large, &type),
              MPI_SUCCESS);
    int bytes = -1;
    ASSERT_EQ(MPI_Type_size(type, &bytes), MPI_SUCCESS);
    EXPECT_EQ(bytes, rank == 0 ? 20 : 0);
    ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  }
  ASSERT_EQ(MPI_Type_free(&large), MPI_SUCCESS);
}

TEST(Subarray, OutsideOfTheArrayIsRefused) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto create = [&](int size, int subsize, int start) {
    return MPI_Type_create_subarray(1, &size, &subsize, &start, MPI_ORDER_C, MPI_INT, &type);
  };
  EXPECT_EQ(create(4, 5, 0), MPI_ERR_ARG);
  EXPECT_EQ(create(4, 2, 3), MPI_ERR_ARG);
  EXPECT_EQ(create(4, 2, -1), MPI_ERR_ARG);
  EXPECT_EQ(create(4, 0, 0), MPI_ERR_ARG);
  EXPECT_EQ(create(0, 0, 0), MPI_ERR_ARG);
  EXPECT_EQ(create(2147483647, 2147483647, 2147483647), MPI_ERR_ARG);
  EXPECT_EQ(type, MPI_DATATYPE_NULL);
}

}  // namespace
}  // namespace lintel::mpi
