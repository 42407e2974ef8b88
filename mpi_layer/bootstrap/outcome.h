#pragma once
// Outcome<T>: a value, or the one sentence for the user that says why there is none. Outcome<>: no
// value, only whether it went well.
//
// Start-up happens once and fails for reasons that only a sentence with its names and values
// explains; base/result.h's Error, which never allocates, is for what happens per message. The
// sentence names the value at fault and what was expected; it has no full stop and no program's
// name before it.

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
