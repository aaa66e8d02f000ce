// The registry of methods: its fields agree with its texts, every role is filled once, and nobody
// but a method's own files asks for its name.
// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "places.h"

namespace stiffit::internal {
namespace {

TEST(MethodRegistry, TextsAgreeWithFields) {
  std::set<std::string_view> names;
  for (const MethodEntry& entry : method_entries()) {
    const std::string name(entry.info.name), stability(entry.info.stability);
    EXPECT_TRUE(names.insert(entry.info.name).second) << name;
    EXPECT_EQ(entry.stiff, stability != "explicit") << name;
    EXPECT_EQ(entry.a_stable, stability.find("A-") != std::string::npos) << name;
    EXPECT_EQ(entry.l_stable, stability.find("L-stable") != std::string::npos) << name;
    EXPECT_TRUE(entry.dense_output() && entry.order > 0) << name;
    EXPECT_TRUE(!entry.l_stable || entry.a_stable) << name;
    EXPECT_TRUE(!entry.adjoint || entry.gives_sensitivities()) << name;
    EXPECT_TRUE(entry.fixed_steps || !entry.fixed_step_only) << name;
  }
}

TEST(MethodRegistry, EveryRoleHasOneMethodThatCanDoWhatIsAskedOfIt) {
  std::map<MethodRole, int> count;
  for (const MethodEntry& entry : method_entries()) ++count[entry.role];
  using enum MethodRole;
  for (const MethodRole role :
       {standard, MethodRole::stiff, large_stiff, accurate_stiff, non_stiff, reference}) {
    EXPECT_EQ(count[role], 1);
    EXPECT_FALSE(method_for(role).fixed_step_only);
  }
  // What runs without being asked for bears every model, and so does what it hands over to.
  for (const MethodRole role : {standard, MethodRole::stiff}) {
    const MethodEntry& entry = method_for(role);
    EXPECT_TRUE(entry.stiff && entry.algebraic_equations && entry.gives_sensitivities() &&
                entry.adjoint && entry.lanes);
  }
  EXPECT_TRUE(method_for(large_stiff).gives_sensitivities());
  EXPECT_FALSE(method_for(non_stiff).stiff);
  EXPECT_EQ(IntegrationOptions{}.method, method_for(standard).info.name);
}

// The string literals of a line, comments left out.
std::vector<std::string> literals(const std::string& line) {
  std::vector<std::string> all;
  std::string text;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!inside && line.compare(i, 2, "//") == 0) break;
    if (!inside && line[i] == '\'' && i + 2 < line.size() && line[i + 2] == '\'') {
      i += 2;  // a character, which may be a quote
    } else if (line[i] == '"') {
      if (inside) all.push_back(text);
      text.clear();
      inside = !inside;
    } else if (inside) {
      text += line[i];
      if (line[i] == '\\' && i + 1 < line.size()) text += line[++i];
    }
  }
  return all;
}

bool is_word(const std::string& text, std::size_t at, std::size_t size) {
  const auto part = [&](std::size_t i) {
    return i < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '-');
  };
  return !(at > 0 && part(at - 1)) && !part(at + size);
}

bool mentions(const std::string& literal, std::string_view name) {
  for (std::size_t at = literal.find(name); at != std::string::npos;
       at = literal.find(name, at + 1))
    if (is_word(literal, at, name.size())) return true;
  return false;
}

// Words of the language, or of another list: these count only as a whole literal, on a line that
// speaks of a method.
bool is_common_word(std::string_view name) {
  for (const char* word : {"automatic", "euler", "adams", "taylor", "trapezoidal"})
    if (name == word) return true;
  return false;
}

bool names_a_method(const std::string& line, std::string& found) {
  if (line.find("#include") != std::string::npos) return false;
  for (const std::string& literal : literals(line))
    for (const MethodEntry& entry : method_entries()) {
      found = entry.info.name;
      if (is_common_word(entry.info.name)
              ? literal == found && line.find("method") != std::string::npos
              : mentions(literal, found))
        return true;
    }
  return false;
}

TEST(MethodRegistry, NobodyElseAsksForAMethodByItsName) {
  namespace fs = std::filesystem;
  int files = 0;
  for (const char* folder : {"src", "apps"})
    for (const auto& found : fs::recursive_directory_iterator(source_path(folder))) {
      const std::string path = found.path().generic_string();
      if (!path.ends_with(".cpp") && !path.ends_with(".h")) continue;
      if (path.ends_with("_test.cpp") || path.find("src/ode/methods/") != std::string::npos ||
          path.ends_with("src/ode/method_registry.cpp"))
        continue;
      ++files;
      std::ifstream file(path);
      std::string line, name;
      for (int number = 1; std::getline(file, line); ++number)
        EXPECT_FALSE(names_a_method(line, name))
            << path << ":" << number << " names '" << name
            << "'; ask for a field of MethodEntry, or for method_for(role)";
    }
  EXPECT_GT(files, 300);
}

// The search itself: what it has to find and what not.
TEST(MethodRegistry, TheSearchForNamesFindsThem) {
  std::string name;
  EXPECT_TRUE(names_a_method(R"(  if (options.method == "automatic") return;)", name));
  EXPECT_TRUE(names_a_method(R"(  x = "use rodas5p, say";)", name));
  EXPECT_TRUE(names_a_method(R"(  if (c == '"') y = "trapezoidal-smoothed";)", name));
  EXPECT_EQ(name, "trapezoidal-smoothed");
  EXPECT_FALSE(names_a_method(R"(  if (gradient == "automatic") return;)", name));
  EXPECT_FALSE(names_a_method(R"(  f();  // "rodas5p")", name));
  EXPECT_FALSE(names_a_method(R"(  x = "cvodes_sensitivities";)", name));
}

}  // namespace
}  // namespace stiffit::internal
