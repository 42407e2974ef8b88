/* What MPI 5.0 has and Lintel's mpi.h does not. If a program uses it, the compiler names the
 * chapter and says what to do. Only mpi.h includes it.
 *
 * None of these functions can be linked, and no name is a macro. So a configure script that tests
 * for a function, by a declaration of its own, by its address or by calling it, finds that it does
 * not exist. Programs that define functions with these names themselves define
 * LINTEL_MPI_UNDECLARED. The functions are declared without parameters, so that any arguments and
 * any definition in C fit. The file is long because each function has a line. */
#ifndef LINTEL_MPI_LACKING_H
#define LINTEL_MPI_LACKING_H

#include "mpi_constants.h"

/* Supported by gcc from 12 on and by clang. Other compilers report an unknown name. */
#if defined(__has_attribute) && !defined(LINTEL_MPI_UNDECLARED)
#if __has_attribute(unavailable)
#define LINTEL_MPI_DECLARES_LACKING
#endif
#endif

#ifdef LINTEL_MPI_DECLARES_LACKING

#define LINTEL_MPI_ADVICE \
  ": compile with Open MPI's mpicc, run with lintel-mpirun (doc/mpi.md, All of MPI)"
#define LINTEL_MPI_IN_OPEN_MPI(what) \
  "Lintel's mpi.h has no " what ". Open MPI over Lintel has" LINTEL_MPI_ADVICE
#define LINTEL_MPI_IN_NEWER(what) \
  "Lintel's mpi.h has no " what ". Open MPI 5.0 over Lintel has" LINTEL_MPI_ADVICE
#define LINTEL_MPI_NOWHERE(what, instead) \
  "Lintel has no " what ", nor has Open MPI over Lintel: " instead

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define LINTEL_MPI_ANY_PARAMETERS ...
#else
#define LINTEL_MPI_ANY_PARAMETERS
#endif
#define LINTEL_MPI_LACKS(name, sentence)                                      \
  int name(LINTEL_MPI_ANY_PARAMETERS) __attribute__((unavailable(sentence))); \
  int P##name(LINTEL_MPI_ANY_PARAMETERS) __attribute__((unavailable(sentence)))
#define LINTEL_MPI_LACKS_TYPE(name, sentence) \
  typedef struct LINTEL_##name* name __attribute__((unavailable(sentence)))

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif

/* ---- Partitioned communication (chapter 4) */

#define LINTEL_MPI_SENTENCE LINTEL_MPI_IN_NEWER("partitioned communication (MPI 5.0, chapter 4)")
LINTEL_MPI_LACKS(MPI_Parrived, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Pready, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Pready_list, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Pready_range, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Precv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Precv_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Psend_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Psend_init_c, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Persistent collective communication (clause 6.13) */

#define LINTEL_MPI_SENTENCE \
  LINTEL_MPI_IN_NEWER("persistent collective communication (MPI 5.0, clause 6.13)")
LINTEL_MPI_LACKS(MPI_Allgather_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Allgather_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Allgatherv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Allgatherv_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Allreduce_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Allreduce_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Alltoall_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Alltoall_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Alltoallv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Alltoallv_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Alltoallw_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Alltoallw_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Barrier_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Bcast_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Bcast_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Exscan_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Exscan_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Gather_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Gather_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Gatherv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Gatherv_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Reduce_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Reduce_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Reduce_scatter_block_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Reduce_scatter_block_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Reduce_scatter_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Reduce_scatter_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Scan_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Scan_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Scatter_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Scatter_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Scatterv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Scatterv_init_c, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Intercommunicators (clause 7.6) */

#define LINTEL_MPI_SENTENCE LINTEL_MPI_IN_OPEN_MPI("intercommunicators (MPI 5.0, clause 7.6)")
LINTEL_MPI_LACKS(MPI_Intercomm_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Intercomm_merge, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Virtual topologies, and collectives of neighbours (chapter 8) */

#define LINTEL_MPI_SENTENCE LINTEL_MPI_IN_OPEN_MPI("virtual topologies (MPI 5.0, chapter 8)")
LINTEL_MPI_LACKS(MPI_Cart_coords, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cart_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cart_get, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cart_map, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cart_rank, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cart_shift, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cart_sub, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Cartdim_get, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Dims_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Dist_graph_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Dist_graph_create_adjacent, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Dist_graph_neighbors, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Dist_graph_neighbors_count, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Graph_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Graph_get, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Graph_map, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Graph_neighbors, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Graph_neighbors_count, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Graphdims_get, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_allgather, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_allgather_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_allgatherv, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_allgatherv_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_alltoall, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_alltoall_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_alltoallv, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_alltoallv_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_alltoallw, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Ineighbor_alltoallw_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgather, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgather_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgatherv, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgatherv_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoall, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoall_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallv, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallv_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallw, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallw_c, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Their persistent form */

#define LINTEL_MPI_SENTENCE \
  LINTEL_MPI_IN_NEWER("persistent collectives of neighbours (MPI 5.0, clause 8.9)")
LINTEL_MPI_LACKS(MPI_Neighbor_allgather_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgather_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgatherv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_allgatherv_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoall_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoall_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallv_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallv_init_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallw_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Neighbor_alltoallw_init_c, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Error classes that are removed again (clause 9.5) */

#define LINTEL_MPI_SENTENCE                                                      \
  LINTEL_MPI_NOWHERE("removal of error classes and codes (MPI 5.0, clause 9.5)", \
                     "they stay until the program ends")
LINTEL_MPI_LACKS(MPI_Remove_error_class, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Remove_error_code, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Remove_error_string, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- What describes the library (chapter 20) and the hardware (clause 9.1.2) */

#define LINTEL_MPI_SENTENCE                                                                 \
  LINTEL_MPI_NOWHERE(                                                                       \
      "descriptions of the ABI and of the hardware (MPI 5.0, chapter 20 and clause 9.1.2)", \
      "MPI_Abi_get_version tells the ABI, MPI_Get_processor_name the machine")
LINTEL_MPI_LACKS(MPI_Abi_get_fortran_booleans, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Abi_get_fortran_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Abi_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Abi_set_fortran_booleans, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Abi_set_fortran_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Get_hw_resource_info, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Sessions (clause 11.3) */

#define LINTEL_MPI_SENTENCE                             \
  LINTEL_MPI_NOWHERE("sessions (MPI 5.0, clause 11.3)", \
                     "call MPI_Init or MPI_Init_thread, and make communicators of MPI_COMM_WORLD")
LINTEL_MPI_LACKS_TYPE(MPI_Session, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Comm_create_from_group, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Group_from_session_pset, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Intercomm_create_from_groups, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_attach_buffer, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_attach_buffer_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_call_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_create_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_detach_buffer, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_detach_buffer_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_finalize, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_flush_buffer, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_fromint, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_get_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_get_nth_pset, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_get_num_psets, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_get_pset_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_iflush_buffer, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_init, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_set_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Session_toint, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Starting and meeting other processes (clauses 11.8 to 11.10) */

#define LINTEL_MPI_SENTENCE                                                               \
  LINTEL_MPI_NOWHERE(                                                                     \
      "way to start or to meet processes of other jobs (MPI 5.0, clauses 11.8 to 11.10)", \
      "start all processes of the job at once")
LINTEL_MPI_LACKS(MPI_Close_port, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Comm_accept, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Comm_connect, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Comm_join, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Comm_spawn, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Comm_spawn_multiple, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Lookup_name, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Open_port, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Publish_name, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Unpublish_name, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- One-sided communication (chapter 12) */

#define LINTEL_MPI_SENTENCE LINTEL_MPI_IN_OPEN_MPI("one-sided communication (MPI 5.0, chapter 12)")
LINTEL_MPI_LACKS_TYPE(MPI_Win, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Accumulate, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Accumulate_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Compare_and_swap, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Fetch_and_op, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Get, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Get_accumulate, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Get_accumulate_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Get_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Put, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Put_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Raccumulate, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Raccumulate_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Rget, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Rget_accumulate, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Rget_accumulate_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Rget_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Rput, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Rput_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_allocate, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_allocate_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_allocate_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_allocate_shared_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_attach, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_call_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_complete, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_create_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_create_dynamic, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_create_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_create_keyval, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_delete_attr, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_detach, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_fence, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_flush, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_flush_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_flush_local, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_flush_local_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_free, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_free_keyval, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_fromint, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_get_attr, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_get_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_get_group, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_get_name, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_lock, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_lock_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_post, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_set_attr, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_set_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_set_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_set_name, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_shared_query, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_shared_query_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_start, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_sync, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_test, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_toint, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_unlock, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_unlock_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Win_wait, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Files (chapter 14) */

#define LINTEL_MPI_SENTENCE LINTEL_MPI_IN_OPEN_MPI("files (MPI 5.0, chapter 14)")
LINTEL_MPI_LACKS_TYPE(MPI_File, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_call_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_close, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_create_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_delete, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_fromint, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_amode, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_atomicity, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_byte_offset, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_group, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_position, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_position_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_size, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_type_extent, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_type_extent_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_get_view, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_at, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_at_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_at_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_at_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iread_shared_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_at, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_at_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_at_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_at_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_iwrite_shared_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_open, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_preallocate, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_all_begin, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_all_begin_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_all_end, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at_all_begin, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at_all_begin_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at_all_end, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_at_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_ordered, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_ordered_begin, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_ordered_begin_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_ordered_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_ordered_end, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_read_shared_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_seek, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_seek_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_set_atomicity, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_set_errhandler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_set_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_set_size, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_set_view, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_sync, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_toint, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_all_begin, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_all_begin_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_all_end, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at_all, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at_all_begin, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at_all_begin_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at_all_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at_all_end, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_at_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_ordered, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_ordered_begin, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_ordered_begin_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_ordered_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_ordered_end, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_shared, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_File_write_shared_c, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Register_datarep, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Register_datarep_c, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- The tool information interface (clause 15.3) */

#define LINTEL_MPI_SENTENCE \
  LINTEL_MPI_IN_OPEN_MPI("tool information interface (MPI 5.0, clause 15.3)")
LINTEL_MPI_LACKS_TYPE(MPI_T_enum, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS_TYPE(MPI_T_cvar_handle, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS_TYPE(MPI_T_pvar_handle, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS_TYPE(MPI_T_pvar_session, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS_TYPE(MPI_T_event_registration, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS_TYPE(MPI_T_event_instance, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_changed, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_categories, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_cvars, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_events, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_index, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_num, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_num_events, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_category_get_pvars, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_get_index, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_get_num, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_handle_alloc, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_handle_free, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_read, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_cvar_write, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_enum_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_enum_get_item, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_callback_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_callback_set_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_copy, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_get_index, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_get_num, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_get_source, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_get_timestamp, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_handle_alloc, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_handle_free, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_handle_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_handle_set_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_read, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_register_callback, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_event_set_dropped_handler, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_finalize, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_init_thread, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_get_index, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_get_num, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_handle_alloc, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_handle_free, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_read, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_readreset, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_reset, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_session_create, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_session_free, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_start, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_stop, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_pvar_write, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_source_get_info, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_source_get_num, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_T_source_get_timestamp, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Datatypes of Fortran kinds (chapter 19) */

#define LINTEL_MPI_SENTENCE LINTEL_MPI_IN_OPEN_MPI("Fortran (MPI 5.0, chapter 19)")
LINTEL_MPI_LACKS(MPI_Type_create_f90_complex, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Type_create_f90_integer, LINTEL_MPI_SENTENCE);
LINTEL_MPI_LACKS(MPI_Type_create_f90_real, LINTEL_MPI_SENTENCE);
#undef LINTEL_MPI_SENTENCE

/* ---- Removed from MPI (chapter 17). mpi_removed.h has them; a program may also have put its own
 * names in their place */

#ifndef LINTEL_MPI_1
#define LINTEL_MPI_REMOVED(name, instead)            \
  name " was removed from MPI in 3.0. Call " instead \
       ", or compile with -DLINTEL_MPI_1, for mpi.h to have it"
#ifndef MPI_Address
LINTEL_MPI_LACKS(MPI_Address, LINTEL_MPI_REMOVED("MPI_Address", "MPI_Get_address"));
#endif
#ifndef MPI_Errhandler_create
LINTEL_MPI_LACKS(MPI_Errhandler_create,
                 LINTEL_MPI_REMOVED("MPI_Errhandler_create", "MPI_Comm_create_errhandler"));
#endif
#ifndef MPI_Errhandler_get
LINTEL_MPI_LACKS(MPI_Errhandler_get,
                 LINTEL_MPI_REMOVED("MPI_Errhandler_get", "MPI_Comm_get_errhandler"));
#endif
#ifndef MPI_Errhandler_set
LINTEL_MPI_LACKS(MPI_Errhandler_set,
                 LINTEL_MPI_REMOVED("MPI_Errhandler_set", "MPI_Comm_set_errhandler"));
#endif
#ifndef MPI_Type_extent
LINTEL_MPI_LACKS(MPI_Type_extent, LINTEL_MPI_REMOVED("MPI_Type_extent", "MPI_Type_get_extent"));
#endif
#ifndef MPI_Type_hindexed
LINTEL_MPI_LACKS(MPI_Type_hindexed,
                 LINTEL_MPI_REMOVED("MPI_Type_hindexed", "MPI_Type_create_hindexed"));
#endif
#ifndef MPI_Type_hvector
LINTEL_MPI_LACKS(MPI_Type_hvector,
                 LINTEL_MPI_REMOVED("MPI_Type_hvector", "MPI_Type_create_hvector"));
#endif
#ifndef MPI_Type_lb
LINTEL_MPI_LACKS(MPI_Type_lb, LINTEL_MPI_REMOVED("MPI_Type_lb", "MPI_Type_get_extent"));
#endif
#ifndef MPI_Type_struct
LINTEL_MPI_LACKS(MPI_Type_struct, LINTEL_MPI_REMOVED("MPI_Type_struct", "MPI_Type_create_struct"));
#endif
#ifndef MPI_Type_ub
LINTEL_MPI_LACKS(MPI_Type_ub, LINTEL_MPI_REMOVED("MPI_Type_ub", "MPI_Type_get_extent"));
#endif
#ifndef MPI_LB
extern const MPI_Datatype MPI_LB
    __attribute__((unavailable(LINTEL_MPI_REMOVED("MPI_LB", "MPI_Type_create_resized"))));
#endif
#ifndef MPI_UB
extern const MPI_Datatype MPI_UB
    __attribute__((unavailable(LINTEL_MPI_REMOVED("MPI_UB", "MPI_Type_create_resized"))));
#endif
#endif

#ifndef __cplusplus
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* LINTEL_MPI_DECLARES_LACKING */

#endif
