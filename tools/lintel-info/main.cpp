// lintel-info: version and settings of this installation of Lintel, and the networks of this
// machine.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "lintel.h"

namespace {

constexpr int kWrongUsage = 2;
constexpr int kWrongSettings = 2;

constexpr const char* kUsage =
    "Usage: lintel-info [--config] [--providers] [--limits] [--json]\n"
    "       lintel-info --config-doc | --version | --help\n"
    "\n"
    "Without options: everything.\n"
    "  --config      every LINTEL_* variable: what it does, its default, its value here and now\n"
    "  --providers   the networks, direct and the providers of libfabric: which one is chosen, and "
    "why not the others\n"
    "  --limits      what one network interface grants at most\n"
    "  --json        one JSON object in place of text\n"
    "  --config-doc  the table of variables as a Markdown page\n"
    "\n"
    "What is wrong with the settings goes to standard error. Exit code: 0 done, 2 wrong option, or "
    "settings with which no program would "
    "start.\n";

struct Section {
  lintel_topic_t topic;
  const char* option;
  const char* title;
  bool wanted = false;
};

std::string describe(lintel_topic_t topic, lintel_format_t format) {
  std::string text(65536, '\0');
  long length = lintel_describe(topic, format, text.data(), text.size());
  if (length >= static_cast<long>(text.size())) {
    text.resize(static_cast<std::size_t>(length) + 1);
    length = lintel_describe(topic, format, text.data(), text.size());
  }
  if (length < 0) {
    std::fputs("lintel-info: out of memory\n", stderr);
    std::exit(EXIT_FAILURE);
  }
  text.resize(std::strlen(text.c_str()));
  return text;
}

void print_text(const std::vector<Section>& sections) {
  std::printf("Lintel %s\n", lintel_version());
  for (const Section& section : sections) {
    if (section.wanted)
      std::printf("\n%s\n\n%s", section.title, describe(section.topic, LINTEL_TEXT).c_str());
  }
}

void print_json(const std::vector<Section>& sections) {
  std::printf("{\"version\": \"%s\"", lintel_version());
  for (const Section& section : sections) {
    if (!section.wanted) continue;
    const std::string object = describe(section.topic, LINTEL_JSON);
    // its members become members of the outer object
    std::printf(",\n%s", object.substr(1, object.size() - 2).c_str());
  }
  std::puts("}");
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Section> sections = {{LINTEL_PROVIDERS, "--providers", "Providers"},
                                   {LINTEL_LIMITS, "--limits", "Limits of one network interface"},
                                   {LINTEL_CONFIG, "--config", "Settings"}};
  bool json = false;
  bool any_wanted = false;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    bool known = option == "--json";
    json = json || known;
    for (Section& section : sections) {
      if (option != section.option) continue;
      section.wanted = any_wanted = known = true;
    }
    if (option == "--help") {
      std::fputs(kUsage, stdout);
      return EXIT_SUCCESS;
    }
    if (option == "--version") {
      std::printf("lintel %s\n", lintel_version());
      return EXIT_SUCCESS;
    }
    if (option == "--config-doc") {
      std::fputs(describe(LINTEL_CONFIG, LINTEL_MARKDOWN).c_str(), stdout);
      return EXIT_SUCCESS;
    }
    if (!known) {
      std::fprintf(stderr,
                   "lintel-info: unknown option %s; expected --config, --providers, --limits, "
                   "--json, --config-doc, --version or --help\n",
                   arguments[i]);
      return kWrongUsage;
    }
  }
  if (!any_wanted) {
    for (Section& section : sections) section.wanted = true;
  }
  json ? print_json(sections) : print_text(sections);
  std::fflush(stdout);  // the complaints come last
  const std::string problems = describe(LINTEL_PROBLEMS, LINTEL_TEXT);
  std::fputs(problems.c_str(), stderr);
  return problems.find("error: ") == std::string::npos ? EXIT_SUCCESS : kWrongSettings;
}
