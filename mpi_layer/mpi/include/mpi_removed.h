/* The names of MPI-1 that were removed in MPI 3.0 (chapter 17 of MPI 5.0), for sources that still
 * use them. mpi.h includes this file if LINTEL_MPI_1 is defined: compile with -DLINTEL_MPI_1,
 * without a change of the source. Or include this file instead of mpi.h.
 *
 * Each function does what its successor does, and its errors name the successor. MPI_LB and MPI_UB
 * may be types of MPI_Type_struct and of MPI_Type_create_struct, and are no datatypes otherwise.
 * The bounds that they set are set by MPI_Type_create_resized, which is what MPI_Type_get_envelope
 * reports. Bounds that were set for other types of the structure count as well if they differ from
 * those of the data (clause 4.1.6 of MPI 2.2). */
#ifndef LINTEL_MPI_REMOVED_H
#define LINTEL_MPI_REMOVED_H

#ifndef LINTEL_MPI_1
#define LINTEL_MPI_1
#endif

#include <stdlib.h>

#include "mpi.h"

typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;

/* Handles that the ABI does not use. */
#define MPI_LB ((MPI_Datatype)0x000002fe)
#define MPI_UB ((MPI_Datatype)0x000002ff)

/* No function returns them; programs compare with them. */
enum {
  MPI_COMBINER_HVECTOR_INTEGER = -101,
  MPI_COMBINER_HINDEXED_INTEGER = -102,
  MPI_COMBINER_STRUCT_INTEGER = -103
};

static __inline__ int MPI_Address(const void* location, MPI_Aint* address) {
  return MPI_Get_address(location, address);
}

static __inline__ int MPI_Errhandler_create(MPI_Handler_function* function,
                                            MPI_Errhandler* errhandler) {
  return MPI_Comm_create_errhandler(function, errhandler);
}
static __inline__ int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return MPI_Comm_get_errhandler(comm, errhandler);
}
static __inline__ int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return MPI_Comm_set_errhandler(comm, errhandler);
}

static __inline__ int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lower = 0;
  return MPI_Type_get_extent(datatype, &lower, extent);
}
static __inline__ int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent = 0;
  return MPI_Type_get_extent(datatype, displacement, &extent);
}
static __inline__ int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lower = 0, extent = 0;
  const int error = MPI_Type_get_extent(datatype, &lower, &extent);
  if (error == MPI_SUCCESS && displacement != NULL) *displacement = lower + extent;
  return error;
}

static __inline__ int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride,
                                       MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
static __inline__ int MPI_Type_hindexed(int count, const int blocklengths[],
                                        const MPI_Aint displacements[], MPI_Datatype oldtype,
                                        MPI_Datatype* newtype) {
  return MPI_Type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}

/* Sets the bounds of `*type`, which has the data, to those of the markers. `*type` is freed and
 * replaced. */
static __inline__ int lintel_mpi_mark(int has_lower, MPI_Aint lower, int has_upper, MPI_Aint upper,
                                      MPI_Datatype* type) {
  enum { kPadding = 16 }; /* more than the padding at the end of a structure */
  MPI_Datatype data = *type;
  MPI_Aint own_lower = 0, extent = 0, first = 0, length = 0;
  int given, error = MPI_Type_get_extent(data, &own_lower, &extent);
  if (error == MPI_SUCCESS) error = MPI_Type_get_true_extent(data, &first, &length);
  if (error != MPI_SUCCESS) return error;
  /* the bounds were set, not computed from the data */
  given = own_lower != first || extent < length || extent >= length + kPadding;
  if (!has_lower || (given && own_lower < lower)) lower = own_lower;
  if (!has_upper || (given && own_lower + extent > upper)) upper = own_lower + extent;
  error = MPI_Type_create_resized(data, lower, upper - lower, type);
  MPI_Type_free(&data);
  return error;
}

static __inline__ int lintel_mpi_struct(int count, const int blocklengths[],
                                        const MPI_Aint displacements[], const MPI_Datatype types[],
                                        MPI_Datatype* newtype) {
  int i, items = 0, has_lower = 0, has_upper = 0, error;
  MPI_Aint lower = 0, upper = 0;
  int* lengths;
  MPI_Aint* places;
  MPI_Datatype* kinds;
  for (i = 0; types != NULL && i < count && types[i] != MPI_LB && types[i] != MPI_UB; ++i) {
  }
  if (types == NULL || i >= count || blocklengths == NULL || displacements == NULL) {
    return MPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
  }
  lengths = (int*)malloc(sizeof(*lengths) * (size_t)count);
  places = (MPI_Aint*)malloc(sizeof(*places) * (size_t)count);
  kinds = (MPI_Datatype*)malloc(sizeof(*kinds) * (size_t)count);
  if (lengths == NULL || places == NULL || kinds == NULL) {
    free(lengths), free(places), free(kinds);
    return MPI_ERR_NO_MEM;
  }
  for (i = 0; i < count; ++i) {
    if (types[i] == MPI_LB) {
      if (!has_lower || displacements[i] < lower) lower = displacements[i];
      has_lower = 1;
    } else if (types[i] == MPI_UB) {
      if (!has_upper || displacements[i] > upper) upper = displacements[i];
      has_upper = 1;
    } else {
      lengths[items] = blocklengths[i];
      places[items] = displacements[i];
      kinds[items] = types[i];
      ++items;
    }
  }
  error = MPI_Type_create_struct(items, lengths, places, kinds, newtype);
  if (error == MPI_SUCCESS) error = lintel_mpi_mark(has_lower, lower, has_upper, upper, newtype);
  free(lengths), free(places), free(kinds);
  return error;
}

static __inline__ int MPI_Type_struct(int count, const int blocklengths[],
                                      const MPI_Aint displacements[], const MPI_Datatype types[],
                                      MPI_Datatype* newtype) {
  return lintel_mpi_struct(count, blocklengths, displacements, types, newtype);
}
#define MPI_Type_create_struct lintel_mpi_struct

#endif
