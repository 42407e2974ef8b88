// The program in C, as C++.
#include "sum.c"
