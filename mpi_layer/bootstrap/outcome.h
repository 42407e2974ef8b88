#pragma once
// Outcome<T>: a value, or a sentence for the user that says why there is none. Outcome<>: success
// without a value, or such a sentence.
//
// Start-up happens once, and only a sentence with names and values explains its failures. For
// errors per message there is Error of base/result.h, which never allocates. The sentence names the
// value at fault and what was expected. It has no full stop, and does not begin with a program's
// name.

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace lintel::mpi {

struct Problem {
  std::string sentence;
};

template <class T = std::monostate>
class [[nodiscard]] Outcome {
 public:
  // NOLINT(google-explicit-constructor)
  Outcome(T value = T()) : content_(std::in_place_index<0>, std::move(value)) {}
  // NOLINT(google-explicit-constructor)
  Outcome(Problem failure) : content_(std::in_place_index<1>, std::move(failure.sentence)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() {
    LINTEL_ASSERT(ok());
    return *std::get_if<0>(&content_);
  }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }

  // REQUIRES: !ok().
  const std::string& sentence() const {
    LINTEL_ASSERT(!ok());
    return *std::get_if<1>(&content_);
  }
  // The same, for the caller's own Outcome.
  Problem failure() const { return Problem{sentence()}; }

 private:
  std::variant<T, std::string> content_;
};

}  // namespace lintel::mpi
