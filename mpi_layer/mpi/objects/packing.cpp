#include "mpi_layer/mpi/objects/packing.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/assert.h"

namespace lintel::mpi {

namespace {

std::byte* memory_at(std::uintptr_t address, std::int64_t offset) {
  return reinterpret_cast<std::byte*>(address + static_cast<std::uintptr_t>(offset));
}

// Blocks of equal size at equal distances, of which every layout consists.
struct Blocks {
  std::byte* memory;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t stride;
};

// Copies all blocks from or to `stream` and returns its end. The loop uses only local variables.
// Bytes may alias any object, so the compiler would reload everything that is read through a
// pointer after each store.
template <class Stream, class Bytes, class Copy>
Stream copy_each(Blocks blocks, Stream stream, Bytes bytes, Copy copy) {
  auto address = reinterpret_cast<std::uintptr_t>(blocks.memory);
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    copy(memory_at(address, 0), stream, bytes);
    address += static_cast<std::uintptr_t>(blocks.stride);
    stream += bytes;
  }
  return stream;
}

// Uses a constant number of bytes for small blocks, because such a copy is one or two instructions.
// Most derived types consist of small blocks.
template <class Stream, class Copy>
Stream copy_blocks(const Blocks& blocks, Stream stream, Copy copy) {
  switch (blocks.bytes) {
    case 1: return copy_each(blocks, stream, std::integral_constant<std::size_t, 1>(), copy);
    case 2: return copy_each(blocks, stream, std::integral_constant<std::size_t, 2>(), copy);
    case 4: return copy_each(blocks, stream, std::integral_constant<std::size_t, 4>(), copy);
    case 8: return copy_each(blocks, stream, std::integral_constant<std::size_t, 8>(), copy);
    case 16: return copy_each(blocks, stream, std::integral_constant<std::size_t, 16>(), copy);
    case 24: return copy_each(blocks, stream, std::integral_constant<std::size_t, 24>(), copy);
    case 32: return copy_each(blocks, stream, std::integral_constant<std::size_t, 32>(), copy);
    default: return copy_each(blocks, stream, static_cast<std::size_t>(blocks.bytes), copy);
  }
}

struct PackSink {
  std::byte* to;
  bool operator()(const Blocks& blocks) {
    to = copy_blocks(blocks, to, [](const std::byte* memory, std::byte* stream, std::size_t bytes) {
      std::memcpy(stream, memory, bytes);
    });
    return true;
  }
};

struct UnpackSink {
  const std::byte* from;
  bool operator()(const Blocks& blocks) {
    from = copy_blocks(blocks, from,
                       [](std::byte* memory, const std::byte* stream, std::size_t bytes) {
                         std::memcpy(memory, stream, bytes);
                       });
    return true;
  }
};

struct GatherSink {
  std::vector<std::span<std::byte>>& pieces;
  std::size_t limit;
  std::int64_t covered = 0;
  bool operator()(const Blocks& blocks) {
    for (std::int64_t i = 0; i < blocks.count; ++i) {
      std::byte* memory =
          memory_at(reinterpret_cast<std::uintptr_t>(blocks.memory), i * blocks.stride);
      if (!pieces.empty() && pieces.back().data() + pieces.back().size() == memory) {
        pieces.back() = {pieces.back().data(),
                         pieces.back().size() + static_cast<std::size_t>(blocks.bytes)};
      } else if (pieces.size() == limit) {
        return false;
      } else {
        pieces.emplace_back(memory, static_cast<std::size_t>(blocks.bytes));
      }
      covered += blocks.bytes;
    }
    return true;
  }
};

template <class Sink>
bool walk(const Layout& layout, std::uintptr_t address, std::int64_t from, std::int64_t to,
          Sink& sink);

// Visits bytes [from, to) of one run whose item begins at `address`. False: the sink accepts no
// more.
template <class Sink>
bool walk_run(const Run& run, std::uintptr_t address, std::int64_t from, std::int64_t to,
              Sink& sink) {
  const std::uintptr_t begin = address + static_cast<std::uintptr_t>(run.offset);
  std::int64_t block = from / run.bytes;
  std::int64_t within = from % run.bytes;
  while (from < to) {
    const std::int64_t whole = within == 0 && !run.nested ? (to - from) / run.bytes : 0;
    std::byte* memory = memory_at(begin, block * run.stride);
    if (whole > 0) {
      if (!sink(Blocks{memory, run.bytes, whole, run.stride})) return false;
      block += whole;
      from += whole * run.bytes;
      continue;
    }
    const std::int64_t end = std::min(run.bytes, within + (to - from));
    if (run.nested) {
      if (!walk(*run.nested, reinterpret_cast<std::uintptr_t>(memory), within, end, sink))
        return false;
    } else if (!sink(Blocks{memory_at(reinterpret_cast<std::uintptr_t>(memory), within),
                            end - within, 1, 0})) {
      return false;
    }
    from += end - within;
    within = 0;
    ++block;
  }
  return true;
}

template <class Sink>
bool walk(const Layout& layout, std::uintptr_t address, std::int64_t from, std::int64_t to,
          Sink& sink) {
  const std::span<const Run> runs = layout.runs();
  auto run = std::upper_bound(runs.begin(), runs.end(), from,
                              [](std::int64_t at, const Run& r) { return at < r.packed_begin; });
  for (--run; from < to; ++run) {
    const std::int64_t end = std::min(to, run->packed_begin + run->packed_bytes());
    if (!walk_run(*run, address, from - run->packed_begin, end - run->packed_begin, sink))
      return false;
    from = end;
  }
  return true;
}

template <class Sink>
void walk_items(const Items& items, std::int64_t from, std::int64_t to, Sink& sink) {
  LINTEL_ASSERT(0 <= from && from <= to && to <= items.packed_bytes());
  if (from == to) return;
  const Layout& layout = *items.layout;
  if (layout.is_block()) {  // items with holes between them, or none
    const std::int64_t stride = items.count == 1 ? 0 : items.extent;
    Run run{.offset = layout.runs()[0].offset,
            .bytes = layout.size(),
            .count = items.count,
            .stride = stride,
            .packed_begin = 0,
            .nested = nullptr};
    if (stride == run.bytes) run = Run{.offset = run.offset, .bytes = run.bytes * run.count};
    walk_run(run, items.address, from, to, sink);
    return;
  }
  std::int64_t item = from / layout.size();
  std::int64_t within = from % layout.size();
  while (from < to) {
    const std::int64_t end = std::min(layout.size(), within + (to - from));
    const std::uintptr_t displacement =
        static_cast<std::uintptr_t>(item) * static_cast<std::uintptr_t>(items.extent);
    if (!walk(layout, items.address + displacement, within, end, sink)) return;
    from += end - within;
    within = 0;
    ++item;
  }
}

}  // namespace

std::byte* Items::begin() const {
  LINTEL_ASSERT(is_contiguous());
  return memory_at(address, layout->first_offset());
}

void pack(const Items& items, std::int64_t from, std::span<std::byte> to) {
  PackSink sink{to.data()};
  walk_items(items, from, from + static_cast<std::int64_t>(to.size()), sink);
}

void unpack(const Items& items, std::int64_t at, std::span<const std::byte> data) {
  UnpackSink sink{data.data()};
  walk_items(items, at, at + static_cast<std::int64_t>(data.size()), sink);
}

std::int64_t gather(const Items& items, std::int64_t from, std::int64_t to, std::size_t limit,
                    std::vector<std::span<std::byte>>& pieces) {
  GatherSink sink{pieces, limit};
  walk_items(items, from, to, sink);
  return from + sink.covered;
}

}  // namespace lintel::mpi
