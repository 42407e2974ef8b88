#include "mpi_layer/bootstrap/pmix_launcher.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "mpi_layer/bootstrap/abort_process.h"
#include "mpi_layer/bootstrap/pmix_library.h"

namespace lintel::mpi {
namespace {

// A value that libpmix has returned. It is freed here by its type, because the library's function
// for that differs between versions.
class PmixValue {
 public:
  explicit PmixValue(pmix_value_t* value) : value_(value) {}
  PmixValue(const PmixValue&) = delete;
  PmixValue& operator=(const PmixValue&) = delete;
  ~PmixValue() {
    if (value_ == nullptr) return;
    if (value_->type == PMIX_BYTE_OBJECT) std::free(value_->data.bo.bytes);
    std::free(value_);
  }
  const pmix_value_t* operator->() const { return value_; }

 private:
  pmix_value_t* value_;
};

std::string key_of(std::string_view name) { return "lintel." + std::string(name); }

class PmixLauncher final : public Launcher {
 public:
  PmixLauncher(const PmixLibrary& pmix, const pmix_proc_t& self, std::uint32_t size,
               bool job_ends_with_process)
      : pmix_(pmix), self_(self), size_(size), job_ends_with_process_(job_ends_with_process) {}
  ~PmixLauncher() override {
    if (!finalized_) pmix_.finalize(nullptr, 0);
  }

  std::string_view name() const override { return "PMIx"; }
  std::uint32_t rank() const override { return self_.rank; }
  std::uint32_t size() const override { return size_; }

  Outcome<std::vector<std::string>> exchange(std::string_view name, std::string_view own) override {
    LINTEL_ASSERT(!own.empty() && own.size() <= kMaxBlobBytes);
    const std::string key = key_of(name);
    std::array<char, kMaxBlobBytes> bytes;
    std::memcpy(bytes.data(), own.data(), own.size());
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo = {bytes.data(), own.size()};
    if (const auto status = pmix_.put(PMIX_GLOBAL, key.c_str(), &value); status != PMIX_SUCCESS)
      return failed("PMIx_Put", status);
    if (const auto status = pmix_.commit(); status != PMIX_SUCCESS)
      return failed("PMIx_Commit", status);
    if (const Outcome<> met = fence(true); !met) return met.failure();
    std::vector<std::string> all;
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      Outcome<std::string> blob = blob_of(rank, key);
      if (!blob) return blob.failure();
      all.push_back(std::move(*blob));
    }
    return all;
  }

  Outcome<> barrier() override { return fence(false); }

  [[noreturn]] void abort(int exit_code, std::string_view text, AbortCause) override {
    report_abort(rank(), exit_code, text);
    if (!job_ends_with_process_) {
      pmix_.abort(exit_code, std::string(text).c_str(), nullptr, 0);
      std::this_thread::sleep_for(std::chrono::seconds(5));  // the launcher kills this process too
    }
    end_aborted(exit_code);
  }

  Outcome<> finalize() override {
    finalized_ = true;
    if (const auto status = pmix_.finalize(nullptr, 0); status != PMIX_SUCCESS)
      return failed("PMIx_Finalize", status);
    return {};
  }

 private:
  Problem failed(const char* call, pmix_status_t status) const {
    return Problem{std::string(call) + " failed: " + pmix_.error_string(status)};
  }

  Outcome<> fence(bool collect) {
    pmix_info_t info{};
    std::strncpy(info.key, PMIX_COLLECT_DATA, sizeof info.key - 1);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = collect;
    if (const auto status = pmix_.fence(nullptr, 0, &info, 1); status != PMIX_SUCCESS)
      return failed("PMIx_Fence", status);
    return {};
  }

  Outcome<std::string> blob_of(std::uint32_t rank, const std::string& key) {
    pmix_proc_t peer = self_;
    peer.rank = rank;
    pmix_value_t* found = nullptr;
    if (const auto status = pmix_.get(&peer, key.c_str(), nullptr, 0, &found);
        status != PMIX_SUCCESS) {
      return Problem{"PMIx_Get of " + key + " of rank " + std::to_string(rank) +
                     " failed: " + pmix_.error_string(status)};
    }
    const PmixValue value(found);
    if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size == 0 ||
        value->data.bo.size > kMaxBlobBytes) {
      return Problem{"PMIx_Get of " + key + " of rank " + std::to_string(rank) +
                     " gave a value of another form; expected 1 to " +
                     std::to_string(kMaxBlobBytes) + " bytes"};
    }
    return std::string(value->data.bo.bytes, value->data.bo.size);
  }

  PmixLibrary pmix_;
  pmix_proc_t self_;
  std::uint32_t size_;
  bool job_ends_with_process_;
  bool finalized_ = false;
};

}  // namespace

Outcome<std::unique_ptr<Launcher>> open_pmix_launcher(bool job_ends_with_process) {
  Outcome<PmixLibrary> pmix = load_pmix();
  if (!pmix) return pmix.failure();
  pmix_proc_t self{};
  if (const auto status = pmix->init(&self, nullptr, 0); status != PMIX_SUCCESS) {
    return Problem{std::string("PMIx has started this process (PMIX_NAMESPACE is set), and its "
                               "server does not answer: PMIx_Init failed: ") +
                   pmix->error_string(status)};
  }
  pmix_proc_t job = self;
  job.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* found = nullptr;
  if (const auto status = pmix->get(&job, PMIX_JOB_SIZE, nullptr, 0, &found);
      status != PMIX_SUCCESS) {
    return Problem{std::string("PMIx_Get of the job's size failed: ") + pmix->error_string(status)};
  }
  const PmixValue size(found);
  if (size->type != PMIX_UINT32 || self.rank >= size->data.uint32) {
    return Problem{"PMIx gave no size of the job that rank " + std::to_string(self.rank) +
                   " could belong to; expected a number above it"};
  }
  return std::unique_ptr<Launcher>(
      std::make_unique<PmixLauncher>(*pmix, self, size->data.uint32, job_ends_with_process));
}

}  // namespace lintel::mpi
