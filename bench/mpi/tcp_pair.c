/* Two processes and one TCP connection between them over loopback, with nothing else: what messages
 * between two jobs of IMPI are held against.
 *
 * tcp_pair latency SIZE MESSAGES WARM_UP [blocking]            half of a round trip, us
 * tcp_pair bandwidth SIZE MESSAGES WARM_UP WINDOW [blocking]   one way, each window answered by a
 * byte, MB/s
 *
 * As mpi_perf measures, with its line of JSON: each process on a processor of its own, the first
 * two that are allowed; no Nagle; each message of a window has memory of its own. Both ask in turns
 * whether there is something (MSG_DONTWAIT); "blocking": they sleep in the kernel. Bytes of the
 * warm-up and those that the last messages have left are verified. Exit code 0; 2: wrong command
 * line, or the system refused; 3: a wrong byte.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 110, WRONG_USE = 2, WRONG_DATA = 3, ALIGNMENT = 4096 };

static int peer, flags = MSG_DONTWAIT;
static long verified;

static void fail(int code, const char *text) {
  fprintf(stderr, "tcp_pair: %s%s%s\n", text, code == WRONG_USE && errno != 0 ? ": " : "",
          code == WRONG_USE && errno != 0 ? strerror(errno) : "");
  exit(code);
}

static void send_all(const unsigned char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t sent = send(peer, bytes, length, flags | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) fail(WRONG_USE, "send");
    if (sent > 0) bytes += sent, length -= (size_t)sent;
  }
}

static void receive_all(unsigned char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t got = recv(peer, bytes, length, flags);
    if (got == 0) fail(WRONG_DATA, "the other process has ended");
    if (got < 0 && errno != EAGAIN && errno != EINTR) fail(WRONG_USE, "recv");
    if (got > 0) bytes += got, length -= (size_t)got;
  }
}

static unsigned char byte_of(long number, size_t at) {
  return (unsigned char)((unsigned long)number * 37 + at + (at >> 8));
}

static void fill(unsigned char *message, size_t size, long number) {
  for (size_t at = 0; at < size; ++at) message[at] = byte_of(number, at);
}

static void verify(const unsigned char *message, size_t size, long number) {
  for (size_t at = 0; at < size; ++at) {
    if (message[at] != byte_of(number, at)) fail(WRONG_DATA, "received a wrong byte");
  }
  ++verified;
}

static unsigned char *memory_of(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
    fail(WRONG_USE, "no memory for the messages");
  memset(memory, 0, bytes);
  return memory;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void pass(int self, const unsigned char *out, unsigned char *in, size_t size) {
  if (self == 0) send_all(out, size);
  receive_all(in, size);
  if (self == 1) send_all(out, size);
}

/* Returns the seconds of `messages` round trips. */
static double ping_pong(int self, size_t size, long messages, long warm_up) {
  unsigned char *const out = memory_of(size), *const in = memory_of(size);
  for (long i = 0; i < warm_up; ++i) {
    fill(out, size, i);
    pass(self, out, in, size);
    verify(in, size, i);
  }
  fill(out, size, warm_up);
  const double start = now();
  for (long i = 0; i < messages; ++i) pass(self, out, in, size);
  const double seconds = now() - start;
  verify(in, size, warm_up);
  return seconds;
}

static void pass_window(int self, unsigned char *messages, size_t size, long window) {
  unsigned char answer = 1;
  for (long i = 0; i < window; ++i) {
    if (self == 0)
      send_all(messages + (size_t)i * size, size);
    else
      receive_all(messages + (size_t)i * size, size);
  }
  if (self == 0)
    receive_all(&answer, 1);
  else
    send_all(&answer, 1);
}

/* Returns the seconds of as many whole windows as `*messages` needs. `*messages` becomes what they
 * hold. */
static double stream(int self, size_t size, long *messages, long warm_up, long window) {
  unsigned char *const memory = memory_of(size * (size_t)window);
  const long windows = (*messages + window - 1) / window;
  long number = 0;
  for (long done = 0; done < warm_up; done += window, number += window) {
    for (long i = 0; i < window && self == 0; ++i)
      fill(memory + (size_t)i * size, size, number + i);
    pass_window(self, memory, size, window);
    for (long i = 0; i < window && self == 1; ++i)
      verify(memory + (size_t)i * size, size, number + i);
  }
  for (long i = 0; i < window && self == 0; ++i) fill(memory + (size_t)i * size, size, number + i);
  const double start = now();
  for (long i = 0; i < windows; ++i) pass_window(self, memory, size, window);
  const double seconds = now() - start;
  for (long i = 0; i < window && self == 1; ++i)
    verify(memory + (size_t)i * size, size, number + i);
  *messages = windows * window;
  return seconds;
}

static void take_processor(int self) {
  cpu_set_t allowed, own;
  int seen = 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
    fail(WRONG_USE, "expected two processors");
  CPU_ZERO(&own);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && seen++ == self) CPU_SET(cpu, &own);
  }
  if (sched_setaffinity(0, sizeof own, &own) != 0) fail(WRONG_USE, "sched_setaffinity");
}

/* Forks. Both processes are then connected. The parent is process 0. */
static int connect_two(pid_t *child) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  const int listening = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (listening < 0 || bind(listening, (struct sockaddr *)&address, length) != 0 ||
      listen(listening, 1) != 0 ||
      getsockname(listening, (struct sockaddr *)&address, &length) != 0)
    fail(WRONG_USE, "listen on loopback");
  *child = fork();
  if (*child < 0) fail(WRONG_USE, "fork");
  if (*child == 0) {
    peer = socket(AF_INET, SOCK_STREAM, 0);
    if (peer < 0 || connect(peer, (struct sockaddr *)&address, length) != 0)
      fail(WRONG_USE, "connect");
  } else if ((peer = accept(listening, NULL, NULL)) < 0) {
    fail(WRONG_USE, "accept");
  }
  close(listening);
  if (setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0)
    fail(WRONG_USE, "TCP_NODELAY");
  return *child == 0 ? 1 : 0;
}

static long number_from(const char *text, const char *what) {
  char *end = NULL;
  const long number = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || number < 1 || number > 2000000000L) {
    fprintf(stderr, "tcp_pair: %s is '%s'; expected a number from 1 to 2000000000\n", what, text);
    exit(WRONG_USE);
  }
  return number;
}

int main(int argc, char **argv) {
  alarm(LIMIT_SECONDS);
  errno = 0;
  if (argc > 1 && strcmp(argv[argc - 1], "blocking") == 0) {
    flags = 0;
    --argc;
  }
  const int is_latency = argc == 5 && strcmp(argv[1], "latency") == 0;
  if (!is_latency && !(argc == 6 && strcmp(argv[1], "bandwidth") == 0))
    fail(WRONG_USE,
         "expected latency SIZE MESSAGES WARM_UP, or bandwidth SIZE MESSAGES WARM_UP WINDOW, and "
         "maybe blocking");
  const size_t size = (size_t)number_from(argv[2], "SIZE");
  long messages = number_from(argv[3], "MESSAGES");
  const long warm_up = number_from(argv[4], "WARM_UP"),
             window = is_latency ? 1 : number_from(argv[5], "WINDOW");
  pid_t child = 0;
  const int self = connect_two(&child);
  take_processor(self);
  const double seconds = is_latency ? ping_pong(self, size, messages, warm_up)
                                    : stream(self, size, &messages, warm_up, window);
  if (self == 1) { /* reports what it has verified, on the connection */
    send_all((const unsigned char *)&verified, sizeof verified);
    return 0;
  }
  long others = 0;
  int status = 0;
  receive_all((unsigned char *)&others, sizeof others);
  if (waitpid(child, &status, 0) != child || status != 0)
    fail(WRONG_DATA, "the other process has failed");
  const double value = is_latency ? seconds * 1e6 / 2 / (double)messages
                                  : (double)messages * (double)size / seconds / 1e6;
  printf(
      "{\"measure\": \"%s\", \"of\": %zu, \"messages\": %ld, \"value\": %.6g, \"unit\": \"%s\", "
      "\"verified_messages\": %ld}\n",
      argv[1], size, messages, value, is_latency ? "us" : "MB/s", verified + others);
  return 0;
}
