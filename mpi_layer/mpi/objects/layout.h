#pragma once
// Layout: where the bytes of one item of a datatype are, in packing order. It is the compiled form
// of a type map.
//
// A value that never changes once built; any thread may read it. It owns its runs and shares nested
// layouts.
// Invariants: (1) runs are in packing order and none is empty; (2) `packed_begin` of a run is the
// number of bytes before it; (3) neighbouring bytes are in one run where the order allows it, so a
// layout without holes is one run of one block; (4) memory is bounded by the arguments of the
// constructors and not by the counts in them, because lists of runs that would become too long stay
// nested; (5) the depth of nesting is at most logarithmic in the size where counts nest, and a
// thousandth of the number of constructors otherwise, so recursion is safe.
// Does not: know bounds and extents (Datatype), what the bytes mean, or where an item is in memory.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lintel::mpi {

class Layout;

// `count` blocks, with `stride` bytes from the beginning of one to that of the next (may be
// negative). A block is `bytes` neighbouring bytes, or, if `nested` is set, an item of that layout,
// whose size is `bytes`.
struct Run {
  std::int64_t offset = 0;  // of the first block, from the beginning of the item
  std::int64_t bytes = 0;
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::int64_t packed_begin = 0;
  std::shared_ptr<const Layout> nested = nullptr;

  std::int64_t packed_bytes() const { return bytes * count; }
};

class Layout {
 public:
  // Without bytes.
  Layout() = default;
  // `bytes` neighbouring bytes at the beginning of the item.
  explicit Layout(std::int64_t bytes);

  std::span<const Run> runs() const { return runs_; }
  // The number of bytes of one packed item.
  std::int64_t size() const { return size_; }
  // True if all bytes are neighbours, in order.
  bool is_block() const {
    return runs_.empty() || (runs_.size() == 1 && runs_[0].count == 1 && !runs_[0].nested);
  }
  // The offset of the first byte; 0 for an empty layout.
  std::int64_t first_offset() const;

 private:
  friend class LayoutBuilder;
  std::vector<Run> runs_;
  std::int64_t size_ = 0;
};

// Concatenates layouts. REQUIRES of all members: the caller has checked that sizes, the offsets of
// all bytes and the distances between them fit in 63 bits.
class LayoutBuilder {
 public:
  // Appends `copies` items of `layout`: the first at `offset`, each next one `stride` bytes behind
  // the one before. `copies` may be 0.
  void append(const std::shared_ptr<const Layout>& layout, std::int64_t offset, std::int64_t copies,
              std::int64_t stride);
  // Returns what was appended. The builder is empty afterwards.
  std::shared_ptr<const Layout> finish();

 private:
  void append_copies_of_run(const Run& run, std::int64_t offset, std::int64_t copies,
                            std::int64_t stride);
  void append_run(Run run);
  void append_block(std::int64_t offset, std::int64_t bytes);

  std::vector<Run> runs_;
};

}  // namespace lintel::mpi
