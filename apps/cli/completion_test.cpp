// Every command and every option is in the scripts for the shells and in the manual page; bash
// itself is asked, and groff if it is there.
// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/commands.h"

namespace stiffit::internal {
namespace {

std::vector<CommandSpec> specs() {
  std::vector<CommandSpec> all;
  for (Command& command : all_commands()) all.push_back(std::move(command.spec));
  return all;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  return text;
}

struct InFile {
  std::string path;
  explicit InFile(const std::string& text) {
    path = testing::TempDir() + "stiffit_completion_" + std::to_string(getpid());
    std::ofstream(path) << text;
  }
  ~InFile() { std::remove(path.c_str()); }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// What bash offers for each of these beginnings of a command line.
std::vector<std::string> offered(const std::vector<std::string>& beginnings) {
  std::string script = bash_completion(specs());
  for (const std::string& words : beginnings)
    script += "COMP_WORDS=(stiffit " + words +
              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _stiffit; echo \" ${COMPREPLY[*]} \"\n";
  const InFile file(script);
  return lines_of(output_of("cd / && bash '" + file.path + "'"));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Each command is found by the name that it has.
TEST(Completion, CommandsAnswerToTheirNames) {
  for (const CommandSpec& spec : specs()) {
    std::ostringstream out, messages;
    EXPECT_EQ(run_stiffit({spec.name, "-h"}, Console{out, messages}), 0) << spec.name;
    EXPECT_NE(out.str().find("stiffit " + spec.name), std::string::npos) << spec.name;
  }
}

TEST(Completion, BashOffersEveryCommandAndOption) {
  const std::vector<CommandSpec> all = specs();
  std::vector<std::string> beginnings{"''"};
  for (const CommandSpec& command : all) beginnings.push_back(command.name + " -");
  const std::vector<std::string> offers = offered(beginnings);
  ASSERT_EQ(offers.size(), beginnings.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(contains(offers[0], " " + all[i].name + " ")) << offers[0];
    for (const OptionSpec& option : all[i].options)
      EXPECT_TRUE(contains(offers[i + 1], " --" + option.name + " "))
          << all[i].name << offers[i + 1];
  }
}

TEST(Completion, BashOffersValues) {
  const std::vector<std::string> offers =
      offered({"simulate oreg", "simulate x --method rod", "fit x --method trust", "models vdp",
               "fit x --projection ''", "completion ''", "simulate x --end ''", "simulate --meth"});
  EXPECT_EQ(offers, (std::vector<std::string>{" oregonator ", " rodas5p ", " trust-region ",
                                              " vdp1 vdp1000 ", " yes no ", " bash zsh fish ", "  ",
                                              " --method "}));
}

TEST(Completion, ZshAndFishKnowEveryCommandAndOption) {
  const std::string zsh = zsh_completion(specs()), fish = fish_completion(specs());
  EXPECT_TRUE(zsh.starts_with("#compdef stiffit\n"));
  for (const CommandSpec& command : specs()) {
    EXPECT_TRUE(contains(zsh, "    '" + command.name + ":"));
    const std::size_t own = zsh.find("    " + command.name + ")\n");
    ASSERT_NE(own, std::string::npos);
    const std::string part = zsh.substr(own, zsh.find(" ;;\n", own) - own);
    const std::string here = "__fish_seen_subcommand_from " + command.name + "' -l ";
    EXPECT_TRUE(contains(fish, "-a " + command.name + " -d "));
    for (const OptionSpec& option : command.options) {
      EXPECT_TRUE(contains(part, "--" + option.name + "[")) << command.name << " " << option.name;
      EXPECT_TRUE(contains(fish, here + option.name + " ")) << command.name << " " << option.name;
    }
  }
  for (auto [shell, script] : {std::pair{"zsh", &zsh}, std::pair{"fish", &fish}}) {
    const std::string name = shell;
    if (output_of("command -v " + name).empty()) continue;
    const InFile file(*script);
    EXPECT_EQ(output_of(name + " -n '" + file.path + "' 2>&1"), "") << name;
  }
}

TEST(ManualPage, HasEveryCommandAndOption) {
  const std::string page = manual_page(specs(), "1.2.3");
  EXPECT_TRUE(contains(page, "Stiffit 1.2.3"));
  for (const CommandSpec& command : specs()) {
    const std::size_t own = page.find(".SS " + command.name + "\n");
    ASSERT_NE(own, std::string::npos) << command.name;
    const std::string part = page.substr(own, page.find("\n.S", own + 1) - own);
    for (const OptionSpec& option : command.options) {
      std::string name;
      for (char c : "--" + option.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_TRUE(contains(part, "\\fB" + name + "\\fR")) << command.name << " " << option.name;
    }
  }
  if (output_of("command -v groff").empty()) return;
  const InFile file(page);
  EXPECT_EQ(output_of("groff -man -Tascii -wmac -wsyntax -z '" + file.path + "' 2>&1"), "");
}

}  // namespace
}  // namespace stiffit::internal
