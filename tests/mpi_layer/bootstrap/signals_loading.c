/* A program that loads a Lintel library while it runs: signals_loading LIBRARY. Fails, with a
 * message, if a signal then has another effect than before. One signal has a handler of the
 * program, one is ignored, the others have their defaults. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void own(int number) { (void)number; }

int main(int count, char** arguments) {
  struct sigaction before[32], after;
  int changed = 0;
  if (count != 2) return 2;
  signal(SIGSEGV, own);
  signal(SIGTERM, SIG_IGN);
  for (int number = 1; number < 32; ++number) sigaction(number, NULL, &before[number]);
  if (dlopen(arguments[1], RTLD_NOW) == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  for (int number = 1; number < 32; ++number) {
    sigaction(number, NULL, &after);
    if (after.sa_handler == before[number].sa_handler) continue;
    Dl_info whose = {0};
    void* handler;
    memcpy(&handler, &after.sa_handler, sizeof handler);
    dladdr(handler, &whose);
    printf("signal %d belongs to %s\n", number,
           whose.dli_fname == NULL ? "somebody" : whose.dli_fname);
    ++changed;
  }
  return changed != 0;
}
