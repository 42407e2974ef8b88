#pragma once
// JobKey: the key by which the processes of one job prove to each other that they belong to it.
//
// Shared by the session of a process and whoever learns the job's secret, which may be before the
// session exists, or after. Guarded by the lock of the session's owner.
// Does not: keep the secret itself, or say where it comes from.

#include <cstddef>
#include <optional>
#include <span>

#include "transport/contact/hmac.h"

namespace lintel::transport {

class JobKey {
 public:
  // Is told when the key comes.
  class User {
   public:
    virtual ~User() = default;
    virtual void on_job_key() = 0;
  };

  JobKey() = default;
  JobKey(const JobKey&) = delete;
  JobKey& operator=(const JobKey&) = delete;

  // Makes the key from the secret of the job, and tells the user. The first secret stays: later
  // calls have no effect. REQUIRES: the secret is not empty.
  void give(std::span<const std::byte> secret);
  const std::optional<Digest>& key() const { return key_; }

  // At most one at a time; nullptr: none any more.
  void set_user(User* user) { user_ = user; }

 private:
  std::optional<Digest> key_;
  User* user_ = nullptr;
};

}  // namespace lintel::transport
