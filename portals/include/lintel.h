/* Lintel about itself: version, settings, network providers, limits. For diagnosis; lintel-info is
 * written with it.
 * Data movement is in portals3.h. Any function may be called from any thread. */
#ifndef LINTEL_LINTEL_H
#define LINTEL_LINTEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  LINTEL_CONFIG,    /* every LINTEL_* variable: documentation, default, and value in this process'
                       environment */
  LINTEL_PROVIDERS, /* what libfabric offers, which one is chosen, and why not the others */
  LINTEL_LIMITS,    /* what one network interface grants at most */
  LINTEL_PROBLEMS   /* LINTEL_TEXT only: a line "error: ..." for each setting that keeps programs
                       from starting, "warning: ..." for each that is odd; empty if all is well */
} lintel_topic_t;

typedef enum {
  LINTEL_TEXT,    /* lines for people */
  LINTEL_JSON,    /* one object */
  LINTEL_MARKDOWN /* LINTEL_CONFIG only: doc/configuration.md, which does not depend on the
                     environment */
} lintel_format_t;

/* "0.1.0"; lives as long as the process. */
const char* lintel_version(void);

/* Writes a description of `topic` to `buffer`, cut to `size` bytes with a final zero byte; `size`
 * may be 0.
 * Returns the length of the whole text without the zero byte, as snprintf does, or -1: no such
 * topic or format, or no memory. LINTEL_PROVIDERS and LINTEL_PROBLEMS ask libfabric, which takes
 * some milliseconds; nothing else blocks. */
long lintel_describe(lintel_topic_t topic, lintel_format_t format, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
