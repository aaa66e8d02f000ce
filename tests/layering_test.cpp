// The rooms of src/ stand in an order, and data walks down it once: what each file includes says
// whether that is so. The rules are functions of a tree of files, so that trees which break them
// show that they are noticed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "places.h"
#include "source_tree.h"

namespace stiffit::internal {
namespace {

// A room includes itself and those before it. A subfolder that is listed is a room of its own.
const std::vector<std::string> rooms = {"base",
                                        "model",
                                        "symbolic",
                                        "io",
                                        "compile",
                                        "linear",
                                        "ode",
                                        "sensitivity",
                                        "analysis",
                                        "estimation",
                                        "runtime",
                                        "analysis/pipeline",
                                        "estimation/pipeline",
                                        "report",
                                        "api"};

constexpr std::size_t most_files = 40;  // of a folder
const std::vector<std::string> folders_that_are_too_large = {};
const std::vector<std::string> know_the_command_line = {"apps/cli"};
// Matrices that are not dense have no decompositions of ours yet.
const std::vector<std::string> know_sparse_eigen = {"src/analysis/stiffness/spectrum.cpp",
                                                    "src/analysis/steady/reduced_jacobian.cpp"};

// Variables that outlive what they serve, each with its reason.
const std::map<std::string, std::string> kept_variables = {
    {"main.cpp: interrupted", "a signal handler has no other way to say something"},
    {"run.cpp: current", "Python's signal handler neither"},
    {"inner_threads.h: current_", "a scope's: kernels that look have no options"},
    {"interrupt.h: current_", "a scope's: loops that read, derive and compile have no options"},
    {"interrupt.h: left_", "of the same scope"},
    {"interrupt.h: polls_", "of the same scope"},
    {"interrupt.h: rounds_", "of the same scope"},
    {"thread_pool.cpp: own", "a thread's helpers, which wait for its next step"},
    {"interpreter.cpp: scratch", "memory of a thread, without meaning between calls"},
    {"mass_action_kernels.cpp: rates", "memory of a thread, without meaning between calls"},
    {"time_scan.cpp: look", "memory of a thread, without meaning between calls"},
    {"time_scan.cpp: size", "memory of a thread, without meaning between calls"},
    {"read_sbml.cpp: libsbml", "libSBML's registries are one for the process"},
    {"sbml_flatten.cpp: current", "libSBML knows one resolver for the process"},
};

// What a skin includes besides its own files: the library's face, and what renders.
struct Skin {
  std::string folder;                             // with tests, which may include anything
  std::vector<std::string> own;                   // beginnings of names
  std::map<std::string, std::string> exceptions;  // headers with reasons; the list may only shrink
};
const std::vector<Skin> skins = {
    {"bindings", {"convert.h", "options.h", "run.h"}, {}},
    {"apps/mpi", {}, {{"runtime/distributed/load_channel.h", "the channel that it is"}}},
    {"apps/server",
     {"server/", "base/"},
     {{"runtime/checkpoint/database.h", "work and jobs are kept in files of the same kind"},
      {"runtime/checkpoint/sha256.h", "models are known by it"}}},
    {"apps/cli",
     {"cli/", "base/", "server/page_server.h"},
     {{"runtime/checkpoint/folder_lock.h", "serve has its folder for itself"}}},
};

bool below(const std::string& path, const std::vector<std::string>& places) {
  return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
    return path == place || path.starts_with(place + "/");
  });
}

// Without what stands between angle brackets.
std::string plain_type(const std::string& text) {
  std::string out;
  int depth = 0;
  for (char c : text) {
    depth += c == '<';
    if (depth == 0) out += c;
    depth -= c == '>';
  }
  return out;
}

// The place in `rooms` of the room that `path` (below src/) is in; -1: in none.
int room_of(const std::string& path) {
  int best = -1;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < rooms.size(); ++i)
    if (path.starts_with(rooms[i] + "/") && rooms[i].size() > longest) {
      best = static_cast<int>(i);
      longest = rooms[i].size();
    }
  return best;
}

struct Include {
  std::string file, name;
  bool quoted = false;
};

std::vector<Include> includes(const SourceTree& tree) {
  std::vector<Include> all;
  for (const auto& [path, text] : tree) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#include ")) continue;
      const std::size_t begin = 10, end = line.find_first_of("\">", begin);
      all.push_back({path, line.substr(begin, end - begin), line[9] == '"'});
    }
  }
  return all;
}

using Complaints = std::vector<std::string>;

// Tests may read their models with any reader, but never know an app.
Complaints broken_order(const SourceTree& tree) {
  Complaints found;
  for (const Include& i : includes(tree)) {
    if (!i.file.starts_with("src/") || !i.quoted) continue;
    const int own = room_of(i.file.substr(4)), other = room_of(i.name);
    if (own < 0) {
      found.push_back(i.file + " is in no room");
      continue;
    }
    // The typed options that users fill are those that the pipelines and the stages of fits take;
    // reports render the results that users get.
    const std::string& room = rooms[static_cast<std::size_t>(own)];
    const bool data = i.name == "stiffit/results.h" || i.name == "stiffit/analysis.h";
    const bool face = (i.name.starts_with("stiffit/") && room == "api") ||
                      (i.name == "stiffit/options.h" &&
                       (room.starts_with("estimation") || room == "analysis/pipeline")) ||
                      (data && (room == "report" || room == "analysis/pipeline"));
    const bool helper = is_test(i.file) && i.name.find('/') == std::string::npos;  // of tests/
    if (other < 0 && !face && !helper)
      found.push_back(i.file + " includes " + i.name + ", which is in no room");
    if (other > own && !is_test(i.file))
      found.push_back(i.file + " includes " + i.name + " of a room further down");
  }
  return found;
}

// Also exceptions that nothing needs any more.
Complaints thick_skins(const SourceTree& tree, const std::vector<Skin>& all) {
  Complaints found;
  for (const Skin& skin : all) {
    std::set<std::string> used;
    for (const Include& i : includes(tree)) {
      if (!i.quoted || !i.file.starts_with(skin.folder + "/") || is_test(i.file)) continue;
      const bool own = i.name.starts_with("stiffit/") || i.name.starts_with("report/") ||
                       std::any_of(skin.own.begin(), skin.own.end(), [&](const std::string& name) {
                         return i.name.starts_with(name);
                       });
      if (own) continue;
      used.insert(i.name);
      if (!skin.exceptions.contains(i.name))
        found.push_back(i.file + " includes " + i.name + " behind the library");
    }
    for (const auto& [name, reason] : skin.exceptions)
      if (!used.contains(name)) found.push_back(skin.folder + " needs " + name + " no more");
  }
  return found;
}

Complaints large_folders(const SourceTree& tree, const std::vector<std::string>& allowed) {
  std::map<std::string, std::size_t> count;
  for (const auto& [path, text] : tree) ++count[path.substr(0, path.rfind('/'))];
  Complaints found;
  for (const auto& [folder, files] : count)
    if (files > most_files && !below(folder, allowed))
      found.push_back(folder + " has " + std::to_string(files) + " files");
  return found;
}

Complaints foreign_eigen(const SourceTree& tree) {
  Complaints found;
  for (const Include& i : includes(tree))
    if ((i.name.starts_with("Eigen/") || i.name.starts_with("Spectra/")) &&
        i.name != "Eigen/Core" && !i.file.starts_with("src/linear/dense/") &&
        !below(i.file, know_sparse_eigen) && !is_test(i.file))
      found.push_back(i.file + " includes " + i.name);
  return found;
}

// Arguments (others have a type of that name) come with the header that declares them.
Complaints command_line_outside(const SourceTree& tree) {
  Complaints found;
  for (const Include& i : includes(tree))
    if (i.name.ends_with("/command_line.h") && !below(i.file, know_the_command_line))
      found.push_back(i.file + " includes " + i.name);
  for (const auto& [path, text] : tree) {
    if (below(path, know_the_command_line)) continue;
    const std::string code = without_comments(text);
    for (const char* name : {"Console", "UsageError"})
      if (has_word(code, name)) found.push_back(path + " knows " + name);
  }
  return found;
}

Complaints unnamed_rooms(const SourceTree& tree, const std::string& page) {
  Complaints found;
  std::map<std::string, int> folders;
  for (const auto& [path, text] : tree)
    if (path.starts_with("src/")) ++folders[path.substr(4, path.find('/', 4) - 4)];
  for (const auto& [room, files] : folders) {
    if (room_of(room + "/") < 0) found.push_back("src/" + room + " is not in the order");
    if (page.find("**" + room + "**") == std::string::npos)
      found.push_back("docs/architecture.md does not name " + room);
  }
  return found;
}

// The library's own names are those of its public headers; whatever else there is stands apart.
Complaints names_in_the_open(const SourceTree& tree) {
  static const std::regex opens("^(inline )?namespace (stiffit\\b[\\w: ]*|api )\\{");
  Complaints found;
  for (const auto& [path, text] : tree) {
    const bool face = path.starts_with("include/stiffit/");
    const bool behind = path.starts_with("src/api/");
    std::istringstream lines(without_comments(text));
    for (std::string line; std::getline(lines, line);) {
      std::smatch name;
      if (!std::regex_search(line, name, opens)) continue;
      const std::string space = name[1].str() + name[2].str();
      const bool open = space == "stiffit " || space == "inline api ";
      const bool hidden = space.starts_with("stiffit::internal");
      if (!(open && (face || behind)) && !(hidden && !face))
        found.push_back(path + " opens namespace " + space);
    }
  }
  return found;
}

// Variables that outlive the call or object they serve, and may change. "file: name", by the way
// that clang-format writes them: those of a namespace begin a line.
std::set<std::string> mutable_variables(const SourceTree& tree) {
  static const std::regex of_namespace(
      "(?!(using|namespace|inline "
      "namespace|struct|class|enum|template|typedef|return|friend|extern|union|public|"
      "private|protected|case|default)\\b)[A-Za-z_][\\w:]*( [\\w:*&]+)* \\**\\w+(\\[[^=]*\\])?");
  static const std::regex kept(" *((static|inline|thread_local|constinit) )+(?!namespace ).*");
  static const std::regex last_name("(\\w+)(\\[[^=]*\\])?$");
  std::set<std::string> found;
  for (const auto& [path, text] : tree) {
    if (is_test(path)) continue;
    std::istringstream lines(without_comments(text));
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_of("=;{") == std::string::npos) continue;
      std::string declared = plain_type(line.substr(0, line.find_first_of("=;{")));
      while (declared.ends_with(' ')) declared.pop_back();
      const bool outlives =
          std::regex_match(declared, kept) || std::regex_match(declared, of_namespace);
      // `static T name(100);` has numbers where a function has types.
      const std::size_t bracket = declared.find('(');
      const bool made = bracket != std::string::npos &&
                        declared.find_first_of("0123456789", bracket) == bracket + 1;
      if (made) declared.resize(bracket);
      if (!outlives || (bracket != std::string::npos && !made) || has_word(declared, "constexpr") ||
          has_word(declared, "namespace"))
        continue;
      const std::size_t star = declared.rfind('*');
      const bool constant = star == std::string::npos ? has_word(declared, "const")
                                                      : has_word(declared.substr(star), "const");
      std::smatch name;
      if (!constant && std::regex_search(declared, name, last_name))
        found.insert(path.substr(path.rfind('/') + 1) + ": " + name[1].str());
    }
  }
  return found;
}

std::string joined(const Complaints& complaints) {
  std::string text;
  for (const std::string& c : complaints) text += "  " + c + "\n";
  return text;
}

const SourceTree& project() {
  static const SourceTree tree = source_tree({"src", "apps", "bindings", "include"});
  return tree;
}

TEST(Layering, RoomsIncludeOnlyThoseBeforeThem) {
  ASSERT_GT(project().size(), 500u);  // all were found
  EXPECT_EQ(joined(broken_order(project())), "");
}

TEST(Layering, SkinsStandOnTheLibrary) { EXPECT_EQ(joined(thick_skins(project(), skins)), ""); }

TEST(Layering, OnlyTheLibrarysFaceIsInItsNamespace) {
  EXPECT_EQ(joined(names_in_the_open(project())), "");
}

TEST(Layering, FoldersAreSmall) {
  EXPECT_EQ(joined(large_folders(project(), folders_that_are_too_large)), "");
}

TEST(Layering, DecompositionsAreCompiledInOneRoom) {
  EXPECT_EQ(joined(foreign_eigen(project())), "");
}

TEST(Layering, OnlyTheCommandLineKnowsItself) {
  EXPECT_EQ(joined(command_line_outside(project())), "");
}

TEST(Layering, EveryRoomIsNamed) {
  std::ifstream file(source_path("docs/architecture.md"));
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(joined(unnamed_rooms(project(), page.str())), "");
}

TEST(Layering, NothingIsKeptBehindTheBack) {
  std::set<std::string> known;
  for (const auto& [variable, reason] : kept_variables) known.insert(variable);
  EXPECT_EQ(mutable_variables(project()), known);
}

TEST(Layering, BrokenRulesAreNoticed) {
  EXPECT_EQ(broken_order({{"src/linear/a.cpp", "#include \"ode/simulate.h\"\n"}}).size(), 1u);
  EXPECT_EQ(broken_order({{"src/report/a.h", "#include \"server/page_server.h\"\n"}}).size(), 1u);
  EXPECT_EQ(
      broken_order({{"src/analysis/steady/a.h", "#include \"analysis/pipeline/b.h\"\n"}}).size(),
      1u);
  EXPECT_EQ(broken_order({{"src/ode/a.h", "#include \"stiffit/model.h\"\n"}}).size(), 1u);
  EXPECT_EQ(broken_order({{"src/report/a.h", "#include \"stiffit/model.h\"\n"}}).size(), 1u);
  EXPECT_EQ(broken_order({{"src/ode/a.h", "#include \"stiffit/results.h\"\n"}}).size(), 1u);
  EXPECT_TRUE(broken_order({{"src/report/a.h", "#include \"stiffit/results.h\"\n"}}).empty());
  EXPECT_EQ(broken_order({{"src/attic/a.h", "#include \"base/number.h\"\n"}}).size(), 1u);
  EXPECT_EQ(broken_order({{"src/ode/a_test.cpp", "#include \"server/guard.h\"\n"}}).size(), 1u);
  EXPECT_TRUE(broken_order({{"src/ode/a.h", "#include \"linear/plans.h\"\n"}}).empty());

  const std::vector<Skin> one{{"apps/a", {"a/"}, {{"ode/options.h", "why"}}}};
  const std::string own = "#include \"a/b.h\"\n#include \"stiffit/model.h\"\n";
  const std::string known = own + "#include \"ode/options.h\"\n";
  EXPECT_TRUE(thick_skins({{"apps/a/a.cpp", known}}, one).empty());
  EXPECT_EQ(thick_skins({{"apps/a/a.cpp", own}}, one).size(), 1u);
  EXPECT_EQ(thick_skins({{"apps/a/a.cpp", known + "#include \"io/a.h\"\n"}}, one).size(), 1u);

  const std::string hidden = "namespace stiffit::internal {\nnamespace {\n";
  const std::string open = "namespace stiffit {\ninline namespace api {\n";
  EXPECT_TRUE(names_in_the_open({{"src/ode/a.h", hidden}, {"src/api/a.h", open}}).empty());
  EXPECT_TRUE(names_in_the_open({{"include/stiffit/a.h", open}}).empty());
  EXPECT_EQ(names_in_the_open({{"include/stiffit/a.h", hidden}}).size(), 1u);
  EXPECT_EQ(names_in_the_open({{"src/ode/a.h", open}}).size(), 2u);
  EXPECT_EQ(names_in_the_open({{"src/ode/a.h", "namespace stiffit {\n"}}).size(), 1u);
  EXPECT_EQ(names_in_the_open({{"src/ode/a.h", "namespace stiffit::bdf {\n"}}).size(), 1u);

  SourceTree crowd;
  for (int i = 0; i < 41; ++i) crowd["src/ode/f" + std::to_string(i) + ".h"] = "";
  EXPECT_EQ(large_folders(crowd, {}).size(), 1u);

  EXPECT_EQ(foreign_eigen({{"src/ode/a.cpp", "#include <Eigen/SVD>\n"}}).size(), 1u);
  EXPECT_TRUE(foreign_eigen({{"src/ode/a.cpp", "#include <Eigen/Core>\n"}}).empty());

  EXPECT_EQ(command_line_outside({{"src/report/a.cpp", "void f(const Console& c);\n"}}).size(), 1u);
  EXPECT_EQ(command_line_outside({{"src/ode/a.h", "#include \"cli/command_line.h\"\n"}}).size(),
            1u);
  EXPECT_TRUE(
      command_line_outside({{"src/report/a.cpp", "// Console\nint ConsoleSize;\n"}}).empty());

  const std::set<std::string> all{"a.cpp: a", "a.cpp: b", "a.cpp: c", "a.cpp: d",
                                  "a.cpp: e", "a.cpp: f", "a.cpp: g"};
  EXPECT_EQ(mutable_variables({{"src/ode/a.cpp",
                                "int a = 1;\n"
                                "inline double b;\n"
                                "const char* c = \"\";\n"
                                "void f() {\n  static std::vector<int> d;\n"
                                "  thread_local Look e;\n"
                                "  static Recent<const Json> f(100);\n}\n"
                                "  static inline thread_local int g = 1;\n"
                                "const int h = 1;\nconstexpr double i{2};\n"
                                "static const std::map<int, int> j;\n"
                                "const char* const k = 0;\nint l(int);\n"
                                "  static std::unique_ptr<int> m(const X& x);\n"
                                "using n = int;\nstruct o {};\n"
                                "inline namespace p {\n"}}),
            all);

  EXPECT_EQ(unnamed_rooms({{"src/ode/a.cpp", ""}}, "**odes**").size(), 1u);
  EXPECT_EQ(unnamed_rooms({{"src/attic/a.cpp", ""}}, "**attic**").size(), 1u);
}

}  // namespace
}  // namespace stiffit::internal
