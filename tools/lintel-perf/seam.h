#pragma once
// What crosses the border between the program and its library for Portals 4 is one class on both sides: virtual calls and exceptions go across.
#define LINTEL_PERF_SEAM __attribute__((visibility("default")))
