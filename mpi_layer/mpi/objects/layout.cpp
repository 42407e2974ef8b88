#include "mpi_layer/mpi/objects/layout.h"

#include <utility>

#include "mpi_layer/mpi/objects/checked_number.h"

namespace lintel::mpi {

namespace {

// Up to this number of runs, copies are stored as separate runs, which are processed faster than
// nested ones. Above it, the memory would be too large.
constexpr std::int64_t kWrittenOutRuns = 256;

bool is_multiple(std::int64_t number, std::int64_t count, std::int64_t step) {
  const CheckedNumber product = CheckedNumber(count) * step;
  return product.fits() && product.value() == number;
}

}  // namespace

Layout::Layout(std::int64_t bytes) : size_(bytes) {
  if (bytes > 0) runs_.push_back(Run{.bytes = bytes});
}

std::int64_t Layout::first_offset() const {
  std::int64_t offset = 0;
  for (const Layout* layout = this; layout != nullptr && !layout->runs_.empty();
       layout = layout->runs_[0].nested.get()) {
    offset += layout->runs_[0].offset;
  }
  return offset;
}

void LayoutBuilder::append(const std::shared_ptr<const Layout>& layout, std::int64_t offset,
                           std::int64_t copies, std::int64_t stride) {
  if (copies == 0 || layout->runs_.empty()) return;
  if (layout->runs_.size() == 1) {
    append_copies_of_run(layout->runs_[0], offset, copies, stride);
    return;
  }
  if (copies <= kWrittenOutRuns &&
      copies * static_cast<std::int64_t>(layout->runs_.size()) <= kWrittenOutRuns) {
    for (std::int64_t i = 0; i < copies; ++i) {
      for (Run run : layout->runs_) {
        run.offset += offset + i * stride;
        append_run(std::move(run));
      }
    }
    return;
  }
  append_run(Run{.offset = offset,
                 .bytes = layout->size_,
                 .count = copies,
                 .stride = copies > 1 ? stride : 0,
                 .nested = layout});
}

void LayoutBuilder::append_copies_of_run(const Run& run, std::int64_t offset, std::int64_t copies,
                                         std::int64_t stride) {
  Run copy = run;
  copy.offset += offset;
  if (copies == 1) {
    append_run(std::move(copy));
  } else if (run.count == 1) {
    copy.count = copies;
    copy.stride = stride;
    append_run(std::move(copy));
  } else if (is_multiple(stride, run.count, run.stride)) {
    copy.count *= copies;
    append_run(std::move(copy));
  } else if (copies <= kWrittenOutRuns) {
    for (std::int64_t i = 0; i < copies; ++i) {
      copy.offset = run.offset + offset + i * stride;
      append_run(copy);
    }
  } else {
    auto nested = std::make_shared<Layout>();
    nested->runs_.push_back(run);
    nested->runs_[0].packed_begin = 0;
    nested->size_ = run.packed_bytes();
    append_run(Run{.offset = offset,
                   .bytes = nested->size_,
                   .count = copies,
                   .stride = stride,
                   .nested = std::move(nested)});
  }
}

void LayoutBuilder::append_run(Run run) {
  if (!run.nested) {
    if (run.count > 1 && run.stride == run.bytes) {
      run.bytes *= run.count;
      run.count = 1;
    }
    if (run.count == 1) {
      append_block(run.offset, run.bytes);
      return;
    }
    if (!runs_.empty()) {
      Run& last = runs_.back();
      // Compares distances, which fit, because the data are between two existing offsets. The
      // offset of one more block might not fit.
      const std::int64_t distance = run.offset - (last.offset + (last.count - 1) * last.stride);
      const bool continues = last.count > 1 && last.stride == run.stride && distance == run.stride;
      const bool follows_one = last.count == 1 && distance == run.stride;
      if (!last.nested && last.bytes == run.bytes && (continues || follows_one)) {
        last.count += run.count;
        last.stride = run.stride;
        return;
      }
    }
  }
  runs_.push_back(std::move(run));
}

void LayoutBuilder::append_block(std::int64_t offset, std::int64_t bytes) {
  if (!runs_.empty() && !runs_.back().nested) {
    Run& last = runs_.back();
    const std::int64_t last_block = last.offset + (last.count - 1) * last.stride;
    if (last_block + last.bytes == offset) {
      if (last.count == 1) {
        last.bytes += bytes;
        return;
      }
      bytes += last.bytes;  // the last block grows, so it leaves its run
      offset = last_block;
      if (--last.count == 1) last.stride = 0;
    } else if (last.bytes == bytes && (last.count == 1 || offset - last_block == last.stride)) {
      last.stride = offset - last_block;
      ++last.count;
      return;
    }
  }
  runs_.push_back(Run{.offset = offset, .bytes = bytes});
}

std::shared_ptr<const Layout> LayoutBuilder::finish() {
  auto layout = std::make_shared<Layout>();
  layout->runs_ = std::exchange(runs_, {});
  layout->runs_.shrink_to_fit();
  for (Run& run : layout->runs_) {
    run.packed_begin = layout->size_;
    layout->size_ += run.packed_bytes();
  }
  return layout;
}

}  // namespace lintel::mpi
