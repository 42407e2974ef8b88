#pragma once
// Datatype: one MPI datatype, predefined or derived.
//
// Shared by its handles, by the types made from it and by the operations that use it; whoever holds
// a std::shared_ptr to it may use it after MPI_Type_free. Shape, parts and contents never change,
// so any thread reads them without a lock; committing is one atomic flag; name and attributes have
// locks of their own.
// Invariants: (1) no number of `shape` leaves 63 bits; (2) parts are in the order of the type map,
// and none has copies == 0 or is empty. Does not: know its handles' values (Contents and Attributes
// pass on what the caller gave them) or MPI's constants.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "mpi_layer/mpi/objects/attributes.h"
#include "mpi_layer/mpi/objects/element.h"
#include "mpi_layer/mpi/objects/layout.h"
#include "mpi_layer/mpi/objects/packing.h"

namespace lintel::mpi {

class Datatype;
using DatatypeRef = std::shared_ptr<const Datatype>;

// The numbers of a type map (MPI 5.0, clauses 5.1.6 to 5.1.8), in bytes from the begin of an item.
struct Shape {
  std::shared_ptr<const Layout> layout;
  std::int64_t size = 0;
  std::int64_t lower_bound = 0;
  std::int64_t upper_bound = 0;
  std::int64_t true_lower_bound = 0;  // where data begins and ends; 0 and 0 without data
  std::int64_t true_upper_bound = 0;
  std::int64_t elements = 0;     // basic ones
  std::int64_t alignment = 1;    // the strictest of the basic elements
  bool explicit_bounds = false;  // the bounds were set (resized, subarray), here or in a part, and
                                 // do not follow from the data

  std::int64_t extent() const { return upper_bound - lower_bound; }
};

// `copies` items of `type` one after the other in the type map; for counting elements.
struct Part {
  DatatypeRef type;
  std::int64_t copies;
};

// What the constructor was called with, for MPI_Type_get_contents. Numbers as the API has them.
struct Contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;  // of a constructor that takes them
  std::vector<DatatypeRef> types;
};

class Datatype {
 public:
  // A predefined type: basic, or a pair, which has parts. `number` is its handle's value, not 0.
  // Committed from the begin.
  Datatype(Shape shape, std::vector<Part> parts, Contents contents, Family family, Form form,
           std::uintptr_t number, std::string name);
  // A derived one.
  Datatype(Shape shape, std::vector<Part> parts, Contents contents);
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  // Ends chains of types that nobody else holds one by one, however long: no recursion.
  ~Datatype();

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return shape_.size; }
  const std::vector<Part>& parts() const { return parts_; }  // empty for a basic type
  const Contents& contents() const { return contents_; }
  Family family() const { return family_; }
  Form form() const { return form_; }
  bool is_predefined() const { return number_ != 0; }
  std::uintptr_t number() const { return number_; }

  // `count` items at `address`, to be packed, unpacked or moved as they are. They must not outlive
  // the datatype.
  Items items(std::uintptr_t address, std::int64_t count) const {
    return {shape_.layout.get(), shape_.extent(), count, address};
  }

  // Any thread may commit; committing twice is no error.
  void commit() const { committed_.store(true, std::memory_order_release); }
  bool is_committed() const { return committed_.load(std::memory_order_acquire); }

  std::string name() const LINTEL_EXCLUDES(name_mutex_);
  void set_name(std::string name) const LINTEL_EXCLUDES(name_mutex_);
  AttributeCache& attributes() const { return attributes_; }

  // Handles that name this type. The attributes end with the last.
  void add_handle() const { handles_.fetch_add(1, std::memory_order_relaxed); }
  void remove_handle() const { handles_.fetch_sub(1, std::memory_order_relaxed); }
  int handles() const { return handles_.load(std::memory_order_relaxed); }

 private:
  Shape shape_;
  std::vector<Part> parts_;
  Contents contents_;
  Family family_ = Family::kOpaque;
  Form form_ = Form::kNone;
  std::uintptr_t number_ = 0;
  mutable std::atomic<bool> committed_{false};
  mutable std::atomic<int> handles_{0};
  mutable Mutex name_mutex_;
  mutable std::string name_ LINTEL_GUARDED_BY(name_mutex_);
  mutable AttributeCache attributes_;
};

}  // namespace lintel::mpi
