/* The processes of a job by rank: the run-time functions of the Sandia implementation of Portals 3.
 * They use the launchers that also start programs of MPI. They are in libportals3.so; programs link
 * nothing else.
 *
 * A group is a rank, a size, and the nids and pids of all ranks. It belongs to one interface.
 * The functions that set a group take as interface
 *   PTL_INVALID_HANDLE   the interface that the next PtlNIInit opens. If that is opened with
 *                        PTL_PID_ANY, it gets the pid that the group has for this rank
 *   an open interface    that one
 * The functions that read a group take an open interface. If no group was set for it, the first of
 * them asks the environment, as PtlSetRank(ni, -1, -1) does.
 *
 * "The environment" is
 *   PTL_MY_RID, PTL_NIDMAP, PTL_PIDMAP   if PTL_MY_RID is set: the rank, and the nids and pids of
 *                                        all ranks, separated by colons. Numbers are decimal, or
 *                                        begin with 0x or 0. A nid may be a dotted IPv4 address too
 *   else the launcher                    lintel-run, mpirun, mpiexec.hydra or srun
 *                                        (doc/launchers.md). All ranks must ask it. The first call
 *                                        after which a rank has asked the launcher and has an
 *                                        interface open blocks until all ranks are in that state,
 *                                        and gets their ids. It may be PtlNIInit. A process asks
 *                                        its launcher once; the answer holds for every later
 *                                        interface, which gets the same pid
 *   else                                 a group of one: rank 0 of 1
 * In a program of MPI, MPI asks the launcher: there, set the maps.
 *
 * Errors of all functions: PTL_NO_INIT before PtlInit; PTL_NI_INVALID (neither of the two above);
 * PTL_SEGV (a null pointer). For PTL_FAIL and PTL_PID_INVALID, stderr has the reason. A call that
 * fails changes nothing. Thread: any.
 */
#ifndef LINTEL_P3RT_P3RT_H
#define LINTEL_P3RT_P3RT_H

#include "../portals3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets rank and size; the next two functions set the maps. With (unsigned)-1 for both, takes the
 * whole group from the environment; if the group is complete already, does nothing.
 * Errors: PTL_FAIL (rank not below group_size; maps are set already; the environment is wrong or
 * the launcher fails; the group's nid of this rank is not that of the interface), PTL_PID_INVALID
 * (the group's pid of this rank is not that of the interface). */
int PtlSetRank(ptl_handle_ni_t ni, unsigned rank, unsigned group_size);

/* Sets the nids of all ranks, after PtlSetRank. `map` is copied. If the interface is not open yet,
 * PtlNIInit checks the nid of this rank.
 * Errors: PTL_NO_INIT (no rank was set), PTL_FAIL (group_size differs; set already; the nid of this
 * rank is not that of the interface). */
int PtlSetNIDMap(ptl_handle_ni_t ni, ptl_nid_t *map, unsigned group_size);

/* The same for pids. Errors: PTL_NO_INIT, PTL_PID_INVALID (in the cases of PTL_FAIL above). */
int PtlSetPIDMap(ptl_handle_ni_t ni, ptl_pid_t *map, unsigned group_size);

/* Errors: PTL_FAIL, PTL_PID_INVALID (in asking the environment, as PtlSetRank). */
int PtlGetRank(ptl_handle_ni_t ni, unsigned *rank, unsigned *group_size);

/* The nid and pid of `rank`. Errors: as PtlGetRank; PTL_NO_INIT (no such rank, or its nid or pid
 * was not set). */
int PtlGetRankId(ptl_handle_ni_t ni, unsigned rank, ptl_process_id_t *id);

/* Writes the nids, or pids, of all ranks to `map`, which has room for group_size of them. Errors:
 * as PtlGetRank; PTL_NO_INIT (not set), PTL_FAIL (group_size is not that of the group). */
int PtlGetNIDMap(ptl_handle_ni_t ni, ptl_nid_t *map, unsigned group_size);
int PtlGetPIDMap(ptl_handle_ni_t ni, ptl_pid_t *map, unsigned group_size);

#ifdef __cplusplus
}
#endif

#endif /* LINTEL_P3RT_P3RT_H */
