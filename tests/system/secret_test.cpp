// LINTEL_SECRET_FILE: processes with the same secret talk to each other, and to nobody else.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/job/counters_file.h"
#include "tests/system/job/portals_calls.h"
#include "tests/temporary_folder.h"

namespace lintel::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class JobSecrets : public ::testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.file(name); }
  // A file with that secret.
  std::string secret(const std::string& text, mode_t mode = 0600) const {
    const std::string path = in_folder("secret " + text);
    std::ofstream(path) << "the secret of the job: " << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  // What the rank has logged.
  std::string log_of(std::size_t rank) const {
    std::ostringstream text;
    text << std::ifstream(in_folder("log" + std::to_string(rank))).rdbuf();
    return text.str();
  }
  // Two processes with these secret files, or none. Rank 0 puts into rank 1's memory, and sees
  // that it arrives, or that it fails.
  void run(const std::string& first, const std::string& second, bool meet) {
    ProcessGroup job(2);
    const std::string files[] = {first, second};
    for (std::size_t i = 0; i < 2; ++i) {
      job.set("LINTEL_SECRET_FILE", files[i]);
      job.set("LINTEL_LOG_FILE", in_folder("log" + std::to_string(i)));
      job.set("LINTEL_COUNTERS_FILE", in_folder("counters" + std::to_string(i)));
      job.start(i, [meet](Rank& rank) {
        const ptl_handle_ni_t ni = open_interface(rank);
        std::vector<std::byte> memory(64);
        const ptl_handle_eq_t queue = make_queue(ni);
        const ptl_handle_eq_t arrivals = make_queue(ni);
        expose(ni, 1, describe(memory, arrivals, kOpen));
        rank.barrier();
        if (rank.number == 0) {
          const ptl_handle_md_t md = bind(ni, describe(memory, queue));
          LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
          if (meet) {
            expect_sent_and_acked(queue);
          } else {
            EXPECT_NE(next_event(queue).ni_fail_type, PTL_NI_OK);
          }
        }
        rank.barrier();
        ptl_event_t event;
        if (rank.number == 1 && !meet) {
          EXPECT_EQ(PtlEQGet(arrivals, &event), PTL_EQ_EMPTY) << "no match list was reached";
        }
        PtlFini();
      });
    }
    job.join_all();
  }
  void expect_no_start(const std::string& path) {
    ProcessGroup job(1, {{"LINTEL_SECRET_FILE", path}, {"LINTEL_LOG_FILE", in_folder("log0")}});
    job.start(0, [](Rank&) {
      int interfaces = 0;
      LINTEL_MUST(PtlInit(&interfaces));
      ptl_handle_ni_t ni;
      EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_FAIL);
      PtlFini();
    });
    job.join_all();
  }
  std::uint64_t refused_by(std::size_t rank) const {
    return counters_in(in_folder("counters" + std::to_string(rank)))["contacts_refused"];
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(JobSecrets, ProcessesWithTheSameSecretMeet) {
  run(secret("one"), secret("one"), true);
  EXPECT_EQ(refused_by(1), 0U);
}

TEST_F(JobSecrets, ProcessesWithoutASecretMeet) { run("", "", true); }

TEST_F(JobSecrets, AProcessWithoutTheSecretIsRefusedWithASentenceAtBothEnds) {
  run("", secret("one"), false);
  EXPECT_THAT(log_of(0), HasSubstr("the peer has a job secret and this process has none"));
  EXPECT_THAT(log_of(1), HasSubstr("it has no job secret and this process has one"));
  EXPECT_GE(refused_by(1), 1U);
}

TEST_F(JobSecrets, AProcessWithASecretIsRefusedByOneWithoutWithASentenceAtBothEnds) {
  run(secret("one"), "", false);
  EXPECT_THAT(log_of(0), HasSubstr("the peer has no job secret and this process has one"));
  EXPECT_THAT(log_of(1), HasSubstr("it has a job secret and this process has none"));
  EXPECT_GE(refused_by(1), 1U);
}

TEST_F(JobSecrets, AProcessWithAnotherSecretIsRefusedWithASentenceAtBothEnds) {
  run(secret("one"), secret("other"), false);
  EXPECT_THAT(log_of(0), HasSubstr("the peer has another job secret"));
  EXPECT_THAT(log_of(1), HasSubstr("it has another job secret"));
  EXPECT_GE(refused_by(1), 1U);
}

// As lintel-run names it, where it is not found.
TEST_F(JobSecrets, AFileOfAnotherNamespaceOfProcessesStopsTheStartWithASentenceThatHelps) {
  const std::string path = "/proc/1/fd/1048575";
  expect_no_start(path);
  EXPECT_THAT(log_of(0), AllOf(HasSubstr("LINTEL_SECRET_FILE: '" + path + "' cannot be read"),
                               HasSubstr("another namespace of process ids"),
                               HasSubstr("a file that all processes of the job can open")));
}

TEST_F(JobSecrets, AFileThatOthersCanReadStopsTheStartWithASentence) {
  const std::string path = secret("open", 0644);
  expect_no_start(path);
  EXPECT_THAT(log_of(0), AllOf(HasSubstr("LINTEL_SECRET_FILE"), HasSubstr(path),
                               HasSubstr("has mode 0644; expected 0600 or 0400")));
}

}  // namespace
}  // namespace lintel::testing
