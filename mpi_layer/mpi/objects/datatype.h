#pragma once
// Datatype: one MPI datatype, predefined or derived.
//
// Shared by its handles, by the types made from it and by the operations that use it. The owner of
// a std::shared_ptr to it may use it after MPI_Type_free. Shape, parts and contents never change,
// so any thread reads them without a lock. Committing sets an atomic flag. Name and attributes have
// locks of their own.
// Invariants: (1) every number of `shape` fits in 63 bits; (2) parts are in the order of the type
// map, and none is empty or has copies == 0.
// Does not: know the values of its handles (Contents and attributes contain what the caller gave
// them) or MPI's constants.

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

// The numbers of a type map (MPI 5.0, clauses 5.1.6 to 5.1.8), in bytes from the beginning of an
// item.
struct Shape {
  std::shared_ptr<const Layout> layout;
  std::int64_t size = 0;
  std::int64_t lower_bound = 0;
  std::int64_t upper_bound = 0;
  std::int64_t true_lower_bound = 0;  // where data begin and end; 0 and 0 without data
  std::int64_t true_upper_bound = 0;
  std::int64_t elements = 0;     // basic elements
  std::int64_t alignment = 1;    // the greatest of the basic elements
  bool explicit_bounds = false;  // the bounds of it or of a part were set (resized, subarray), not
                                 // computed from the data

  std::int64_t extent() const { return upper_bound - lower_bound; }
};

// `copies` items of `type`, one after the other in the type map. Used to count elements.
struct Part {
  DatatypeRef type;
  std::int64_t copies;
};

// The arguments of the constructor, for MPI_Type_get_contents. Numbers are those of the API.
struct Contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;  // of a constructor with large counts
  std::vector<DatatypeRef> types;
};

class Datatype {
 public:
  // A predefined type: a basic type, or a pair, which has parts. `number` is the value of its
  // handle, not 0. It is committed.
  Datatype(Shape shape, std::vector<Part> parts, Contents contents, Family family, Form form,
           std::uintptr_t number, std::string name);
  // A derived type, not committed.
  Datatype(Shape shape, std::vector<Part> parts, Contents contents);
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  // Destroys chains of types without other owners one by one, without recursion, so that chains may
  // have any length.
  ~Datatype();

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return shape_.size; }
  const std::vector<Part>& parts() const { return parts_; }  // empty for a basic type
  const Contents& contents() const { return contents_; }
  Family family() const { return family_; }
  Form form() const { return form_; }
  bool is_predefined() const { return number_ != 0; }
  std::uintptr_t number() const { return number_; }

  // `count` items at `address`, for packing, unpacking or moving. They must not outlive the
  // datatype.
  Items items(std::uintptr_t address, std::int64_t count) const {
    return {shape_.layout.get(), shape_.extent(), count, address};
  }

  // Any thread may commit. It is no error to commit twice.
  void commit() const { committed_.store(true, std::memory_order_release); }
  bool is_committed() const { return committed_.load(std::memory_order_acquire); }

  std::string name() const LINTEL_EXCLUDES(name_mutex_);
  void set_name(std::string name) const LINTEL_EXCLUDES(name_mutex_);
  AttributeCache& attributes() const { return attributes_; }

  // Counts the handles of this type. The attributes are deleted with the last handle.
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
