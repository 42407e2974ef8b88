// One of each operation between two processes, through the public interface: a put with an ack, a
// get, a getput, and a put that is too large for a message.
//
// For captures of their wire format. portals_traffic <initiator's pid> <target's pid> ends with 0
// once every operation is answered.

#include <portals3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr ptl_pt_index_t kPortal = 4;
constexpr ptl_size_t kLarge = 512 * 1024;

void require(int code, const char* call) {
  if (code == PTL_OK) return;
  std::fprintf(stderr, "%s: %s\n", call, PtlErrorStr(static_cast<unsigned>(code)));
  _exit(1);
}

ptl_handle_ni_t open_interface(ptl_pid_t pid) {
  int interfaces = 0;
  ptl_handle_ni_t interface {};
  require(PtlInit(&interfaces), "PtlInit");
  require(PtlNIInit(PTL_IFACE_DEFAULT, pid, nullptr, nullptr, &interface), "PtlNIInit");
  return interface;
}

ptl_md_t memory(std::vector<char>& bytes, ptl_size_t length, unsigned options,
                ptl_handle_eq_t queue) {
  ptl_md_t md{};
  md.start = bytes.data();
  md.length = length;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = options;
  md.eq_handle = queue;
  return md;
}

// Serves every operation until the other side closes `stop`.
void serve(ptl_pid_t pid, int ready, int stop) {
  ptl_handle_ni_t interface = open_interface(pid);
  std::vector<char> bytes(kLarge);
  ptl_handle_me_t entry{};
  const ptl_process_id_t anybody = {PTL_NID_ANY, PTL_PID_ANY};
  require(PtlMEAttach(interface, kPortal, anybody, 0, ~ptl_match_bits_t{0}, PTL_RETAIN,
                      PTL_INS_AFTER, &entry),
          "PtlMEAttach");
  constexpr unsigned kAnything =
      PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE;
  require(PtlMDAttach(entry, memory(bytes, kLarge, kAnything, PTL_EQ_NONE), PTL_RETAIN, nullptr),
          "PtlMDAttach");
  char byte = 0;
  if (write(ready, &byte, 1) != 1) _exit(1);
  while (read(stop, &byte, 1) > 0) {
  }
  PtlNIFini(interface);
  PtlFini();
}

void wait_for(ptl_handle_eq_t queue, ptl_event_kind_t kind) {
  ptl_event_t event{};
  do {
    require(PtlEQWait(queue, &event), "PtlEQWait");
    if (event.ni_fail_type != PTL_NI_OK) require(PTL_FAIL, PtlEventKindStr(event.type));
  } while (event.type != kind);
}

void initiate(ptl_pid_t pid, ptl_pid_t target_pid) {
  ptl_handle_ni_t interface = open_interface(pid);
  ptl_process_id_t target{};
  require(PtlGetId(interface, &target), "PtlGetId");
  target.pid = target_pid;  // the same node
  ptl_handle_eq_t queue{};
  require(PtlEQAlloc(interface, 64, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
  std::vector<char> bytes(kLarge, 'x');
  ptl_handle_md_t small{}, large{};
  require(PtlMDBind(interface, memory(bytes, 8, 0, queue), PTL_RETAIN, &small), "PtlMDBind");
  require(PtlMDBind(interface, memory(bytes, kLarge, 0, queue), PTL_RETAIN, &large), "PtlMDBind");

  require(PtlPut(small, PTL_ACK_REQ, target, kPortal, 0, 0xb1, 0, 0), "PtlPut");
  wait_for(queue, PTL_EVENT_ACK);
  require(PtlGet(small, target, kPortal, 0, 0xb2, 0), "PtlGet");
  wait_for(queue, PTL_EVENT_REPLY_END);
  require(PtlGetPut(small, small, target, kPortal, 0, 0xb3, 0, 0), "PtlGetPut");
  wait_for(queue, PTL_EVENT_REPLY_END);
  require(PtlPut(large, PTL_ACK_REQ, target, kPortal, 0, 0xb4, 0, 0), "PtlPut");
  wait_for(queue, PTL_EVENT_ACK);
  PtlNIFini(interface);
  PtlFini();
}

}  // namespace

int main(int count, char** arguments) {
  int ready[2], stop[2];
  if (count != 3 || pipe(ready) != 0 || pipe(stop) != 0) return 2;
  const auto initiator = static_cast<ptl_pid_t>(std::atoi(arguments[1]));
  const auto target = static_cast<ptl_pid_t>(std::atoi(arguments[2]));
  const pid_t child = fork();
  if (child == 0) {
    close(stop[1]);
    close(ready[0]);
    serve(target, ready[1], stop[0]);
    return 0;
  }
  close(ready[1]);
  char byte = 0;
  if (read(ready[0], &byte, 1) == 1) initiate(initiator, target);
  close(stop[1]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
