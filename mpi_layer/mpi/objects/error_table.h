#pragma once
// ErrorTable: the error classes and codes that the program adds, and their texts (MPI 5.0, clause
// 9.5).
//
// Any thread; calls are atomic. Numbers ascend and are never reused, so that a code keeps its
// meaning.
// Does not: know the predefined classes, whose numbers are lower than the first number here.

#include <map>
#include <optional>
#include <string>

#include "base/mutex.h"

namespace lintel::mpi {

class ErrorTable {
 public:
  explicit ErrorTable(int first_number) : next_(first_number) {}

  // Adds a class. Its number is also an error code.
  int add_class() LINTEL_EXCLUDES(mutex_);
  // REQUIRES: `error_class` is predefined or was added as a class.
  int add_code(int error_class) LINTEL_EXCLUDES(mutex_);
  // True if `number` was added as a class.
  bool is_class(int number) const LINTEL_EXCLUDES(mutex_);
  // The class of an added class or code; nothing for other numbers.
  std::optional<int> class_of(int number) const LINTEL_EXCLUDES(mutex_);
  // False if the number was not added.
  bool set_text(int number, std::string text) LINTEL_EXCLUDES(mutex_);
  // The text, empty if none was set; nothing if the number was not added.
  std::optional<std::string> text(int number) const LINTEL_EXCLUDES(mutex_);
  // The greatest number in use; one less than the first number if none was added.
  int last_used() const LINTEL_EXCLUDES(mutex_);

 private:
  struct Added {
    int error_class;
    std::string text;
  };

  mutable Mutex mutex_;
  std::map<int, Added> added_ LINTEL_GUARDED_BY(mutex_);
  int next_ LINTEL_GUARDED_BY(mutex_);
};

}  // namespace lintel::mpi
