/* What the client programs share: processes forked before PtlInit, a board of memory that they all
 * see, and checks that name what failed.
 *
 * A program's main calls job_main or job_run. Each forked process runs the body and ends with exit
 * code 0, or reports what failed and ends with 1. A process that is not done by the deadline
 * reports its last call and ends too. The others are then killed. */
#ifndef LINTEL_TESTS_CLIENTS4_EXCHANGE_H
#define LINTEL_TESTS_CLIENTS4_EXCHANGE_H

#include <portals4.h>
#include <stddef.h>
#include <stdint.h>

enum { JOB_MOST = 16, JOB_BOARD_BYTES = 65536 };

extern int job_rank, job_size; /* in the body: number of this process, and of all processes */
extern ptl_process_t *job_names;   /* shared: the nid and pid of each, after job_publish */
extern void *job_board; /* shared, zero at the start; each program defines its meaning */

/* Runs `body` in `processes` forked processes and waits for them. Prints "name: ok" if all of them
 * succeeded. Returns the exit code. */
int job_run(const char *name, int processes, unsigned int seconds, void (*body)(void));

/* The same for a program whose only argument is the number of processes, 2 to `most`; without one
 * there are `most`. */
int job_main(int argc, char **argv, const char *name, int most, unsigned int seconds,
             void (*body)(void));

/* Barrier of all processes. Makes no Portals call. */
void job_barrier(void);

/* Publishes this process's nid and pid, waits until all have, and checks that no two are equal. */
void job_publish(ptl_handle_ni_t ni);

/* The call must return PTL_OK, or exactly `code`. The condition must hold. Otherwise the process
 * ends with a message. Also recorded for the deadline. */
#define CHECK(call) EXPECT(PTL_OK, call)
#define EXPECT(code, call) \
  (job_step(#call, __FILE__, __LINE__), job_check((call), (code), #call, __FILE__, __LINE__))
#define REQUIRE(condition) ((condition) ? (void)0 : job_fail(#condition, __FILE__, __LINE__))
#define REQUIRE_EQUAL(a, b) \
  job_equal((uint64_t)(a), (uint64_t)(b), #a " == " #b, __FILE__, __LINE__)

void job_step(const char *what, const char *file, int line);
void job_check(int code, int wanted, const char *what, const char *file, int line);
void job_equal(uint64_t a, uint64_t b, const char *what, const char *file, int line);
void job_fail(const char *what, const char *file, int line);

/* Bytes that identify their origin: each depends on `seed` and on its position. */
void pattern_fill(void *memory, size_t length, unsigned int seed);
void pattern_check_at(const void *memory, size_t length, unsigned int seed, const char *file,
                      int line);
#define pattern_check(memory, length, seed) \
  pattern_check_at((memory), (length), (seed), __FILE__, __LINE__)
void bytes_check_at(const void *memory, size_t length, unsigned char value, const char *file,
                    int line);
#define bytes_check(memory, length, value) \
  bytes_check_at((memory), (length), (value), __FILE__, __LINE__)

/* Waits for `success`; a failure of the counter ends the process. */
void count_wait_at(ptl_handle_ct_t ct, ptl_size_t success, const char *file, int line);
#define count_wait(ct, success) count_wait_at((ct), (success), __FILE__, __LINE__)

/* Returns the next event, which must be of this type and report PTL_NI_OK. */
ptl_event_t event_wait_at(ptl_handle_eq_t eq, ptl_event_kind_t type, const char *file, int line);
#define event_wait(eq, type) event_wait_at((eq), (type), __FILE__, __LINE__)

/* The whole address space: local_offset is the address. */
ptl_handle_md_t whole_memory(ptl_handle_ni_t ni, unsigned int options, ptl_handle_eq_t eq,
                             ptl_handle_ct_t ct);
#define address(pointer) ((ptl_size_t)(uintptr_t)(pointer))

#endif
