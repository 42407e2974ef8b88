/* What the soak's processes use of Portals, over version 3 (soak_portals3.c) and 4
 * (soak_portals4.c): one interface, one queue, operations that are counted and not told apart. A
 * call that fails ends the process with a message and exit code 1. An operation that fails is an
 * event. */
#ifndef LINTEL_TESTS_SOAK_PORTALS_H
#define LINTEL_TESTS_SOAK_PORTALS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t nid, pid;
} soak_name;

typedef enum {
  SOAK_NOTHING, /* in time */
  SOAK_ENDED,   /* an operation of this process ended: acknowledged, answered or failed */
  SOAK_ARRIVED, /* a put or swap of another process has changed memory here */
  SOAK_OTHER    /* nothing that counts */
} soak_kind;

typedef struct {
  soak_kind kind;
  int failed;
  uint64_t match, header; /* of what has arrived, as the next two */
  size_t bytes;
  soak_name from;
} soak_event;

extern const int soak_api; /* 3 or 4 */

void soak_open(void);
void soak_close(void);
soak_name soak_own_name(void);

typedef enum {
  SOAK_REPORTED, /* others put to it, get from it and swap in it; puts and swaps give events here */
  SOAK_GOTTEN,   /* others only get from it, without events here */
  SOAK_SILENT    /* others put to it and get from it, without events here */
} soak_access;

void soak_expose(uint64_t match, void* memory, size_t bytes, soak_access access);

/* Memory that operations of this process read or fill. Returns its number. At most 4. */
int soak_bind(void* memory, size_t bytes);
void soak_put(int bound, size_t place, size_t bytes, soak_name to, uint64_t match, size_t offset,
              uint64_t header);
void soak_get(int bound, size_t place, size_t bytes, soak_name from, uint64_t match, size_t offset);
/* Puts the word soak_given there, and the previous one to soak_taken. */
extern uint64_t soak_given, soak_taken;
void soak_swap(soak_name with, uint64_t match, size_t offset, uint64_t header);

/* Returns the next event, or SOAK_NOTHING after that many milliseconds. */
soak_event soak_next(unsigned milliseconds);

enum {
  SOAK_FOR_STRANGERS = 3, /* match bits of the memory that survivors and peers open to strangers */
  SOAK_FOR_NOBODY = 4,    /* match bits of no memory */
  SOAK_STRANGERS_BYTES = 256 << 10 /* of the memory for strangers */
};

/* Attacks that process through a session, in a way that soak_stranger.c describes. */
void soak_attack(const char* how, soak_name target);

/* Ends the process with that message and exit code. */
void soak_fail(int exit_code, const char* format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
