/* The processes of a job by rank: the run-time functions of the Sandia implementation of Portals 3,
 * over the launchers that start programs of MPI too. The functions are in libportals3.so: nothing
 * more is linked.
 *
 * A group is a rank, a size, and the nids and pids of all ranks. It belongs to one interface. The
 * functions that set it take
 *   PTL_INVALID_HANDLE   for the interface that the next PtlNIInit opens: opened with PTL_PID_ANY
 *   it gets the pid that the group has for it an open interface    for that one
 * Those that get it take an open interface. If nothing was set for it, the first of them asks the
 * environment, as PtlSetRank(ni, -1, -1) does.
 *
 * "The environment" is
 *   PTL_MY_RID, PTL_NIDMAP, PTL_PIDMAP   if PTL_MY_RID is there: the rank, and the nids and pids of
 *                                        all ranks, with colons between. Numbers are decimal, or
 *                                        begin with 0x or 0; a nid may also be a dotted IPv4
 *                                        address
 *   else the launcher                    lintel-run, mpirun, mpiexec.hydra or srun
 *                                        (doc/launchers.md). All ranks must ask it. The call that
 *                                        finds both the launcher asked and an interface open blocks
 *                                        until all ranks are so far, and learns their ids; it may
 *                                        be PtlNIInit. A process asks its launcher once; what it
 *                                        has said holds for every later interface, which gets the
 *                                        same pid
 *   else                                 a group of one: rank 0 of 1
 * In a program of MPI the launcher is asked by MPI: there, set the maps.
 *
 * Errors of all: PTL_NO_INIT before PtlInit; PTL_NI_INVALID (neither of the two above); PTL_SEGV (a
 * null pointer). The sentence for a PTL_FAIL or PTL_PID_INVALID is on stderr. Whatever fails
 * changes nothing. Thread: any.
 */
#ifndef LINTEL_P3RT_P3RT_H
#define LINTEL_P3RT_P3RT_H

#include "../portals3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets rank and size; the maps follow by the next two functions. With (unsigned)-1 for both, takes
 * the group from the environment, whole; if the group is whole already, does nothing. Errors:
 * PTL_FAIL (rank not below group_size; maps are set already; the environment or the launcher is at
 * fault; the group's nid for this rank is not the interface's), PTL_PID_INVALID (the same of the
 * pid). */
int PtlSetRank(ptl_handle_ni_t ni, unsigned rank, unsigned group_size);

/* Sets the nids of all ranks, after PtlSetRank. `map` is copied. For an interface that is not open
 * yet PtlNIInit tests the one of this rank. Errors: PTL_NO_INIT (no rank was set), PTL_FAIL
 * (group_size differs; set already; the nid of this rank is not the interface's). */
int PtlSetNIDMap(ptl_handle_ni_t ni, ptl_nid_t *map, unsigned group_size);

/* The same for pids. Errors: PTL_NO_INIT, PTL_PID_INVALID (as PTL_FAIL above). */
int PtlSetPIDMap(ptl_handle_ni_t ni, ptl_pid_t *map, unsigned group_size);

/* Errors: PTL_FAIL, PTL_PID_INVALID (as PtlSetRank: the environment). */
int PtlGetRank(ptl_handle_ni_t ni, unsigned *rank, unsigned *group_size);

/* Errors: as PtlGetRank; PTL_NO_INIT (no such rank, or its nid or pid was not set). */
int PtlGetRankId(ptl_handle_ni_t ni, unsigned rank, ptl_process_id_t *id);

/* Writes the nids, or pids, of all ranks to `map`, which has room for group_size of them. Errors:
 * as PtlGetRank; PTL_NO_INIT (not set), PTL_FAIL (group_size is not the group's). */
int PtlGetNIDMap(ptl_handle_ni_t ni, ptl_nid_t *map, unsigned group_size);
int PtlGetPIDMap(ptl_handle_ni_t ni, ptl_pid_t *map, unsigned group_size);

#ifdef __cplusplus
}
#endif

#endif /* LINTEL_P3RT_P3RT_H */
