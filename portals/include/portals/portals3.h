/* The same header in the folder in which Cray's installations have it. */
#ifndef LINTEL_PORTALS_PORTALS3_H
#define LINTEL_PORTALS_PORTALS3_H
#include "../portals3.h"
#endif
