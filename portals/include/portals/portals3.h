/* Include path of Cray's installations. */
#ifndef LINTEL_PORTALS_PORTALS3_H
#define LINTEL_PORTALS_PORTALS3_H
#include "../portals3.h"
#endif
