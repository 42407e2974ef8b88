#pragma once
// Error and Result<T>: how a function of Lintel reports that something outside of it has failed.
//
// Values. An Error is small, owns nothing and never allocates, so the data path may use it. The
// function that finds the error makes it; its callers pass it on unchanged. Exceptions are used
// only in tools.

#include <cstdint>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace lintel {

// What is lost. A caller decides by it how to continue.
enum class Loss : std::uint8_t {
  kNothing,    // no error
  kOperation,  // this operation only
  kPeer,       // every operation with this peer
  kInterface,  // the network interface
  kProcess,    // the whole process
};

class [[nodiscard]] Error {
 public:
  constexpr Error() = default;  // no error
  // `call` and `reason` must be string literals, or outlive every copy. `code` is the errno-like
  // number of the system or the provider (positive), or 0.
  constexpr Error(Loss loss, const char* call, const char* reason, int code = 0)
      : call_(call), reason_(reason), code_(code), loss_(loss) {}

  constexpr bool ok() const { return loss_ == Loss::kNothing; }
  constexpr Loss loss() const { return loss_; }
  constexpr const char* call() const { return call_; }
  constexpr const char* reason() const { return reason_; }
  constexpr int code() const { return code_; }

 private:
  const char* call_ = "";
  const char* reason_ = "";
  int code_ = 0;
  Loss loss_ = Loss::kNothing;
};

// Either a value or an Error that is not ok().
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINT(google-explicit-constructor): reads as return value
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::in_place_index<1>, error) { LINTEL_ASSERT(!error.ok()); }

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & {
    LINTEL_ASSERT(ok());
    return *std::get_if<0>(&content_);
  }
  const T& value() const& {
    LINTEL_ASSERT(ok());
    return *std::get_if<0>(&content_);
  }
  T&& value() && {
    LINTEL_ASSERT(ok());
    return std::move(*std::get_if<0>(&content_));
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  // The error, or Error() if ok().
  Error error() const { return ok() ? Error() : *std::get_if<1>(&content_); }

 private:
  std::variant<T, Error> content_;
};

}  // namespace lintel
