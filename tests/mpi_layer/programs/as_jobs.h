#pragma once
// Makes ranks of one job exchange external32, as ranks of different jobs do. For programs that are
// linked with the parts of the library.

// `is_external(rank, own rank)` says which ranks are of another job. REQUIRES: nothing was sent yet
// between two ranks that are to exchange external32.
void set_external_ranks(bool (*is_external)(int rank, int own));
