#pragma once
// Info: an ordered list of (key, value) hints (MPI 5.0, chapter 10). Shared by its handles. Any
// thread; calls are atomic.
// Does not: limit lengths (the C functions do), or know what a key means.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace lintel::mpi {

class Info {
 public:
  Info() = default;
  // A copy of the present entries.
  Info(const Info& other) : entries_(other.entries()) {}
  Info& operator=(const Info&) = delete;

  // Replaces the value of the key, or adds the key as the last one.
  void set(std::string_view key, std::string_view value) LINTEL_EXCLUDES(mutex_);
  std::optional<std::string> get(std::string_view key) const LINTEL_EXCLUDES(mutex_);
  // False if there is no such key.
  bool erase(std::string_view key) LINTEL_EXCLUDES(mutex_);
  int size() const LINTEL_EXCLUDES(mutex_);
  // The n-th key in the order in which keys were added; nothing if there are fewer keys.
  std::optional<std::string> key(int n) const LINTEL_EXCLUDES(mutex_);

 private:
  using InfoEntries = std::vector<std::pair<std::string, std::string>>;
  InfoEntries entries() const LINTEL_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  InfoEntries entries_ LINTEL_GUARDED_BY(mutex_);
};

}  // namespace lintel::mpi
