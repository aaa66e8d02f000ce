// The corpus and deterministic changes of it through every target, in every build. What ends the
// process is told with its number and kept in a file. STIFFIT_FUZZ_CHANGES: how many changes of
// each target (default: a second or so), STIFFIT_FUZZ_FROM: the number of the first.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "change.h"
#include "places.h"
#include "target.h"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));
// libSBML leaves what it has read so far behind when it gives up on a file with an exception.
extern "C" const char* __lsan_default_suppressions() { return "leak:libsbml.so\n"; }

namespace stiffit::internal {
namespace {

constexpr unsigned longest_seconds = 60;  // for one input, sanitized on a busy machine

struct Seed {
  std::string name, text;
};

std::vector<Seed> corpus(const FuzzTarget& target) {
  std::vector<Seed> seeds;
  for (auto& entry :
       std::filesystem::directory_iterator(source_path("fuzz/corpus/").append(target.name))) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    seeds.push_back({entry.path().filename().string(), text.str()});
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

// What runs now, for whoever ends the process.
const std::string* current_input = nullptr;
char current_name[200];

void keep_current() {
  if (!current_input) return;
  char path[240];
  std::snprintf(path, sizeof path, "/tmp/stiffit-fuzz-%s", current_name);
  for (char* c = path + 5; *c; ++c)
    if (*c == '/' || *c == ' ') *c = '-';
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    [[maybe_unused]] auto n = write(file, current_input->data(), current_input->size());
    close(file);
  }
  std::fprintf(stderr, "while running %s, kept in %s\n", current_name, path);
  current_input = nullptr;
}

void at_signal(int number) {
  if (number == SIGALRM) std::fprintf(stderr, "no end within %u seconds\n", longest_seconds);
  keep_current();
  signal(number, SIG_DFL);
  raise(number == SIGALRM ? SIGKILL : number);
}

void watch() {
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_current);
  for (int number : {SIGABRT, SIGALRM}) signal(number, at_signal);
  if (!__sanitizer_set_death_callback)
    for (int number : {SIGSEGV, SIGFPE, SIGILL, SIGBUS}) signal(number, at_signal);
}

void run(const FuzzTarget& target, const std::string& name, const std::string& input) {
  std::snprintf(current_name, sizeof current_name, "%s %s", std::string(target.name).c_str(),
                name.c_str());
  current_input = &input;
  alarm(longest_seconds);
  try {
    target.run(input);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "not caught: %s\n", error.what());
    keep_current();
    ADD_FAILURE() << current_name << ": " << error.what();
  }
  alarm(0);
  current_input = nullptr;
}

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

class Fuzz : public testing::TestWithParam<const FuzzTarget*> {};

TEST_P(Fuzz, CorpusAndChanges) {
  const FuzzTarget& target = *GetParam();
  // Machine code for each of many thousand models is not what is looked at here.
  setenv("STIFFIT_ISA", "portable", 1);
  watch();
  const std::vector<Seed> seeds = corpus(target);
  ASSERT_FALSE(seeds.empty());
  for (const Seed& seed : seeds) run(target, seed.name, seed.text);
  const long first = from_environment("STIFFIT_FUZZ_FROM", 0),
             count = from_environment("STIFFIT_FUZZ_CHANGES", target.changes);
  for (long k = first; k < first + count; ++k) {
    SplitMix random(static_cast<std::uint64_t>(k) * 1000003);
    const std::string& base = seeds[random.next() % seeds.size()].text;
    const std::string& other = seeds[random.next() % seeds.size()].text;
    run(target, "change " + std::to_string(k), change_input(target, base, other, random));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Fuzz, testing::ValuesIn(fuzz_targets().begin(), fuzz_targets().end()),
                         [](auto& at) { return std::string(at.param->name); });

}  // namespace
}  // namespace stiffit::internal
