/* The same header in the folder in which some installations have it. */
#ifndef LINTEL_PORTALS_P3RT_P3RT_H
#define LINTEL_PORTALS_P3RT_P3RT_H
#include "../../p3rt/p3rt.h"
#endif
