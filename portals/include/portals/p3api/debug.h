/* The same header in the folder in which some installations have it. */
#ifndef LINTEL_PORTALS_P3API_DEBUG_H
#define LINTEL_PORTALS_P3API_DEBUG_H
#include "../../p3api/debug.h"
#endif
