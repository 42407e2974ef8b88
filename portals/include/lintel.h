/* Information about Lintel: version, settings, network providers, limits. For diagnosis;
 * lintel-info uses it. Data movement is in portals3.h and portals4.h. Any function may be called
 * from any thread. */
#ifndef LINTEL_LINTEL_H
#define LINTEL_LINTEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  LINTEL_CONFIG,    /* every LINTEL_* variable: documentation, default, and its value in this
                       process' environment */
  LINTEL_PROVIDERS, /* the providers of libfabric, which one is chosen, and why not the others */
  LINTEL_LIMITS,    /* the largest limits that a network interface grants */
  LINTEL_PROBLEMS   /* LINTEL_TEXT only: a line "error: ..." for each setting with which programs do
                       not start, "warning: ..." for each doubtful one; empty if there are none */
} lintel_topic_t;

typedef enum {
  LINTEL_TEXT,    /* lines for people */
  LINTEL_JSON,    /* one object */
  LINTEL_MARKDOWN /* LINTEL_CONFIG only: doc/configuration.md, which does not depend on the
                     environment */
} lintel_format_t;

/* The version, such as "0.1.0". The string is valid as long as the process runs. */
const char* lintel_version(void);

/* Writes a description of `topic` to `buffer`, cut to `size` bytes including a final zero byte;
 * `size` may be 0. Returns the length of the whole text without the zero byte, as snprintf does, or
 * -1 if there is no such topic or format, or no memory. LINTEL_PROVIDERS and LINTEL_PROBLEMS query
 * libfabric, which takes some milliseconds. No other topic blocks. */
long lintel_describe(lintel_topic_t topic, lintel_format_t format, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
