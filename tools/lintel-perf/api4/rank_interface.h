#pragma once
// The interface of one rank: matching and logical, with one portal, which has no event queue: chains count.
//
// Owns the library's initialisation and the interface; must outlive every object made on it. One per process.

#include <portals4.h>

#include <vector>

namespace lintel::perf::chains {

inline constexpr ptl_pt_index_t kChainPortal = 1;  // at every rank

class RankInterface {
 public:
  // Throws Failure(kUnusable) if the interface cannot be had.
  RankInterface();
  ~RankInterface();
  RankInterface(const RankInterface&) = delete;
  RankInterface& operator=(const RankInterface&) = delete;

  // Names all ranks; before anything else is made on the interface.
  void set_map(const std::vector<ptl_process_t>& names);

  ptl_handle_ni_t handle() const { return handle_; }
  ptl_process_t physical_id() const { return physical_id_; }
  ptl_uid_t uid() const { return uid_; }
  const ptl_ni_limits_t& limits() const { return limits_; }

 private:
  void close() const;

  ptl_handle_ni_t handle_ = PTL_INVALID_HANDLE;
  ptl_process_t physical_id_{};
  ptl_uid_t uid_ = 0;
  ptl_ni_limits_t limits_{};
};

}  // namespace lintel::perf::chains
