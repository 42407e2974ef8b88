#pragma once
// Layout: where the bytes of one datatype item lie, in the order in which they are packed. The
// compiled form of a type map.
//
// A value that never changes once built; any thread may read it. It owns its runs and shares the
// layouts nested in them.
// Invariants: (1) runs are in packing order and none is empty; (2) `packed_begin` of a run is the
// number of bytes before it;
//             (3) neighbouring bytes are in one run wherever the order allows, so that a layout
//                 without holes is one run of one block;
//             (4) memory is bounded by the arguments of the constructors, not by the counts in
//                 them: what would become too long a list of runs stays nested; (5) nesting is at
//                 most logarithmic in size where counts nest, and a thousandth of the constructors
//                 where they do not, so walking may recurse.
// Does not: know bounds and extents (Datatype), what the bytes mean, or where an item begins in
// memory.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lintel::mpi {

class Layout;

// `count` blocks, `stride` bytes from the begin of one to that of the next (may be negative). A
// block is `bytes` neighbouring bytes, or, if `nested` is set, an item of that layout, with `bytes`
// its size.
struct Run {
  std::int64_t offset = 0;  // of the first block, from the begin of the item
  std::int64_t bytes = 0;
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::int64_t packed_begin = 0;
  std::shared_ptr<const Layout> nested = nullptr;

  std::int64_t packed_bytes() const { return bytes * count; }
};

class Layout {
 public:
  // Nothing at all.
  Layout() = default;
  // `bytes` neighbouring bytes at the begin of the item.
  explicit Layout(std::int64_t bytes);

  std::span<const Run> runs() const { return runs_; }
  // Bytes of one packed item.
  std::int64_t size() const { return size_; }
  // All bytes are neighbours, in order.
  bool is_block() const {
    return runs_.empty() || (runs_.size() == 1 && runs_[0].count == 1 && !runs_[0].nested);
  }
  // Where the first byte lies; 0 for an empty layout.
  std::int64_t first_offset() const;

 private:
  friend class LayoutBuilder;
  std::vector<Run> runs_;
  std::int64_t size_ = 0;
};

// Puts layouts one after the other. REQUIRES of all members: sizes, the places of all bytes and the
// distances between them fit in 63 bits; the caller has checked.
class LayoutBuilder {
 public:
  // Appends `copies` items of `layout`, the first at `offset`, each `stride` bytes behind the one
  // before. `copies` may be 0.
  void append(const std::shared_ptr<const Layout>& layout, std::int64_t offset, std::int64_t copies,
              std::int64_t stride);
  // What was appended. The builder is empty afterwards.
  std::shared_ptr<const Layout> finish();

 private:
  void append_copies_of_run(const Run& run, std::int64_t offset, std::int64_t copies,
                            std::int64_t stride);
  void append_run(Run run);
  void append_block(std::int64_t offset, std::int64_t bytes);

  std::vector<Run> runs_;
};

}  // namespace lintel::mpi
