#include "mpi_layer/impi/job_layout_text.h"

#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {
namespace {

// Reads numbers from the bytes. After the last byte, every further number is 0.
class LayoutReader {
 public:
  explicit LayoutReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void take(T& number) {
    ok_ = ok_ && bytes_.size() >= sizeof(T);
    number = ok_ ? number_at<T>(bytes_, 0) : T{};
    if (ok_) bytes_.remove_prefix(sizeof(T));
  }
  void take(HostId& id) {
    for (std::uint8_t& byte : id.bytes) take(byte);
  }
  // The length of a list whose elements have at least `element` bytes each.
  std::uint32_t take_count(std::size_t element) {
    std::uint32_t count = 0;
    take(count);
    if (count > bytes_.size() / element) ok_ = false;
    return ok_ ? count : 0;
  }
  bool is_whole() const { return ok_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

void append(std::string& bytes, const HostId& id) {
  for (const std::uint8_t byte : id.bytes) append_number(bytes, byte);
}

template <class T>
void append_count(std::string& bytes, const std::vector<T>& list) {
  append_number(bytes, static_cast<std::uint32_t>(list.size()));
}

}  // namespace

std::string encode(const JobLayout& layout) {
  std::string bytes;
  append_count(bytes, layout.versions);
  for (const std::vector<Version>& versions : layout.versions) {
    append_count(bytes, versions);
    for (const Version& version : versions) {
      append_number(bytes, version.major);
      append_number(bytes, version.minor);
    }
  }
  append_count(bytes, layout.hosts);
  for (const JobHost& host : layout.hosts) {
    append(bytes, host.address);
    append_number(bytes, host.port);
    for (const std::uint32_t number : {host.client, host.first_proc, host.procs})
      append_number(bytes, number);
  }
  append_count(bytes, layout.procs);
  for (const JobProc& proc : layout.procs) {
    append(bytes, proc.id.host);
    append_number(bytes, proc.id.pid);
    append_number(bytes, proc.host);
  }
  append_number(bytes, layout.data_length);
  for (const std::int32_t number :
       {layout.tag_upper_bound, layout.crossover_size, layout.max_linear})
    append_number(bytes, number);
  for (const std::uint32_t number : {layout.ackmark, layout.hiwater}) append_number(bytes, number);
  return bytes;
}

Outcome<JobLayout> decode_layout(std::string_view bytes) {
  LayoutReader reader(bytes);
  JobLayout layout;
  layout.versions.resize(reader.take_count(4));
  for (std::vector<Version>& versions : layout.versions) {
    versions.resize(reader.take_count(8));
    for (Version& version : versions) {
      reader.take(version.major);
      reader.take(version.minor);
    }
  }
  layout.hosts.resize(reader.take_count(30));
  for (JobHost& host : layout.hosts) {
    reader.take(host.address);
    reader.take(host.port);
    for (std::uint32_t* number : {&host.client, &host.first_proc, &host.procs})
      reader.take(*number);
  }
  layout.procs.resize(reader.take_count(28));
  for (JobProc& proc : layout.procs) {
    reader.take(proc.id.host);
    reader.take(proc.id.pid);
    reader.take(proc.host);
  }
  reader.take(layout.data_length);
  for (std::int32_t* number : {&layout.tag_upper_bound, &layout.crossover_size, &layout.max_linear})
    reader.take(*number);
  for (std::uint32_t* number : {&layout.ackmark, &layout.hiwater}) reader.take(*number);
  if (!reader.is_whole())
    return Problem{"the layout of an IMPI job in " + std::to_string(bytes.size()) +
                   " bytes is malformed"};
  return layout;
}

}  // namespace lintel::mpi::impi
