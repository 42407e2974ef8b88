/* Each way to make a datatype of numbers, by name. `shift`: how many numbers the first one lies
 * behind the buffer's beginning. */
#ifndef LINTEL_TESTS_LAYOUTS_H
#define LINTEL_TESTS_LAYOUTS_H

#include <mpi.h>

static MPI_Datatype shifted(int shift) {
  MPI_Datatype type;
  MPI_Aint at = shift * (MPI_Aint)sizeof(int);
  MPI_Type_create_hindexed_block(1, 1, &at, MPI_INT, &type);
  return type;
}

static MPI_Datatype made(MPI_Datatype type, MPI_Datatype old) {
  MPI_Type_free(&old);
  MPI_Type_commit(&type);
  return type;
}

static MPI_Datatype dup(int shift) {
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_dup(old, &type);
  return made(type, old);
}
static MPI_Datatype contiguous(int shift) {
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_contiguous(5, old, &type);
  return made(type, old);
}
static MPI_Datatype empty(int shift) {
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_contiguous(0, old, &type);
  return made(type, old);
}
static MPI_Datatype vector(int shift, int stride) {
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_vector(3, 2, stride, old, &type);
  return made(type, old);
}
static MPI_Datatype vector_whole(int shift) { return vector(shift, 2); }
static MPI_Datatype vector_holes(int shift) { return vector(shift, 4); }
static MPI_Datatype vector_back(int shift) { return vector(shift, -2); }
static MPI_Datatype hvector(int shift, int stride) {
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_create_hvector(3, 2, stride * (MPI_Aint)sizeof(int), old, &type);
  return made(type, old);
}
static MPI_Datatype hvector_whole(int shift) { return hvector(shift, 2); }
static MPI_Datatype hvector_holes(int shift) { return hvector(shift, 3); }
static MPI_Datatype hvector_back(int shift) { return hvector(shift, -2); }
static MPI_Datatype indexed(int shift, int second) {
  const int lengths[] = {2, 3}, at[] = {shift, shift + second};
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}
static MPI_Datatype indexed_whole(int shift) { return indexed(shift, 2); }
static MPI_Datatype indexed_holes(int shift) { return indexed(shift, 4); }
static MPI_Datatype indexed_back(int shift) { return indexed(shift, -3); }
static MPI_Datatype hindexed(int shift, int second) {
  const int lengths[] = {2, 3};
  const MPI_Aint at[] = {shift * (MPI_Aint)sizeof(int), (shift + second) * (MPI_Aint)sizeof(int)};
  MPI_Datatype type;
  MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}
static MPI_Datatype hindexed_whole(int shift) { return hindexed(shift, 2); }
static MPI_Datatype hindexed_holes(int shift) { return hindexed(shift, 7); }
static MPI_Datatype hindexed_back(int shift) { return hindexed(shift, -3); }
static MPI_Datatype indexed_block(int shift, int second) {
  const int at[] = {shift, shift + second};
  MPI_Datatype type;
  MPI_Type_create_indexed_block(2, 2, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}
static MPI_Datatype indexed_block_whole(int shift) { return indexed_block(shift, 2); }
static MPI_Datatype indexed_block_holes(int shift) { return indexed_block(shift, 3); }
static MPI_Datatype hindexed_block(int shift, int second) {
  const MPI_Aint at[] = {shift * (MPI_Aint)sizeof(int), (shift + second) * (MPI_Aint)sizeof(int)};
  MPI_Datatype type;
  MPI_Type_create_hindexed_block(2, 2, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}
static MPI_Datatype hindexed_block_whole(int shift) { return hindexed_block(shift, 2); }
static MPI_Datatype hindexed_block_holes(int shift) { return hindexed_block(shift, 5); }
/* Two kinds of number, so that a layout of them is one piece of two descriptions. */
static MPI_Datatype structure(int shift, int second) {
  const int lengths[] = {2, 1};
  const MPI_Aint at[] = {shift * (MPI_Aint)sizeof(int), (shift + second) * (MPI_Aint)sizeof(int)};
  const MPI_Datatype types[] = {MPI_INT, MPI_FLOAT};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, at, types, &type);
  MPI_Type_commit(&type);
  return type;
}
static MPI_Datatype struct_whole(int shift) { return structure(shift, 2); }
static MPI_Datatype struct_holes(int shift) { return structure(shift, 5); }
static MPI_Datatype struct_back(int shift) { return structure(shift, -1); }
static MPI_Datatype subarray_row(int shift) {
  const int size = 9, part = 3, start = 4;
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_create_subarray(1, &size, &part, &start, MPI_ORDER_C, old, &type);
  return made(type, old);
}
static MPI_Datatype subarray_rows(int shift) {
  const int sizes[] = {5, 3}, parts[] = {2, 3}, starts[] = {2, 0};
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, old, &type);
  return made(type, old);
}
static MPI_Datatype subarray_columns(int shift) {
  const int sizes[] = {5, 3}, parts[] = {2, 2}, starts[] = {1, 1};
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, old, &type);
  return made(type, old);
}
static MPI_Datatype darray(int shift, int distribution, int part) {
  const int size = 12, processes = 3;
  MPI_Datatype old = shifted(shift), type;
  MPI_Type_create_darray(3, 1, 1, &size, &distribution, &part, &processes, MPI_ORDER_C, old, &type);
  return made(type, old);
}
static MPI_Datatype darray_block(int shift) {
  return darray(shift, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG);
}
static MPI_Datatype darray_cyclic(int shift) { return darray(shift, MPI_DISTRIBUTE_CYCLIC, 2); }
static MPI_Datatype resized(int shift, int lower, int extent) {
  MPI_Datatype old = contiguous(shift), type;
  MPI_Type_create_resized(old, lower * (MPI_Aint)sizeof(int), extent * (MPI_Aint)sizeof(int),
                          &type);
  return made(type, old);
}
static MPI_Datatype resized_at_0(int shift) { return resized(shift, 0, 5); }
static MPI_Datatype resized_below(int shift) { return resized(shift, -7, 5); }
static MPI_Datatype resized_wide(int shift) { return resized(shift, 2, 8); }

static const struct {
  const char* name;
  MPI_Datatype (*make)(int shift);
} layouts[] = {
    {"dup", dup},
    {"contiguous", contiguous},
    {"empty", empty},
    {"vector", vector_whole},
    {"vector with holes", vector_holes},
    {"vector backwards", vector_back},
    {"hvector", hvector_whole},
    {"hvector with holes", hvector_holes},
    {"hvector backwards", hvector_back},
    {"indexed", indexed_whole},
    {"indexed with holes", indexed_holes},
    {"indexed backwards", indexed_back},
    {"hindexed", hindexed_whole},
    {"hindexed with holes", hindexed_holes},
    {"hindexed backwards", hindexed_back},
    {"indexed_block", indexed_block_whole},
    {"indexed_block with holes", indexed_block_holes},
    {"hindexed_block", hindexed_block_whole},
    {"hindexed_block with holes", hindexed_block_holes},
    {"struct", struct_whole},
    {"struct with holes", struct_holes},
    {"struct backwards", struct_back},
    {"subarray of a row", subarray_row},
    {"subarray of rows", subarray_rows},
    {"subarray of columns", subarray_columns},
    {"darray by blocks", darray_block},
    {"darray cyclic", darray_cyclic},
    {"resized to its size", resized_at_0},
    {"resized with a lower bound", resized_below},
    {"resized with holes", resized_wide},
};

#endif
