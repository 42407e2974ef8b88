#pragma once
// What the processes of several tests send each other: many messages under way at once between all
// of them. Expects that none is lost or repeated, that those of a pair are matched in order, and
// that every byte is right.

#include <cstddef>

#include "tests/system/job/process_group.h"

namespace lintel::testing {

enum class Sizes { kAll, kSmall };

// The body of a rank: `messages` puts of these sizes to every other rank, without waiting in
// between.
void exchange_with_all(Rank& rank, std::size_t messages = 400, Sizes sizes = Sizes::kAll);

}  // namespace lintel::testing
