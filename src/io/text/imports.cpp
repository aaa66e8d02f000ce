// SPDX-License-Identifier: Apache-2.0
#include "io/text/imports.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/folder.h"
#include "io/text/syntax/lexer.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 1000;
constexpr std::size_t deepest_import = 50;
constexpr std::size_t most_text = std::size_t{64} << 20;

struct Import {
  std::string file;
  Span span;  // within the file it stands in
};

std::vector<Import> imports_of(const Source& source) {
  std::vector<Import> found;
  if (source.text().find("import") == std::string_view::npos) return found;
  Diagnostics unheard(std::make_shared<const Source>(source));  // the parser will say the same
  Lexer lexer(unheard, source.file(0));
  Token before;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.kind == TokenKind::string && before.is_name("import"))
      found.push_back({std::string(token.text), token.span});
    before = token;
  }
  return found;
}

class Gathering {
 public:
  Gathering(const Source& main, const std::string& folder)
      : shown_(fs::path(main.name()).parent_path()), size_(main.text().size()) {
    std::error_code trouble;
    if (!folder.empty()) root_ = fs::canonical(folder, trouble);
    fs::path path = root_ / fs::path(main.name()).filename();
    known_.push_back(path);
    visit(main, 0, path);
  }

  // With the files behind it, and with what was found.
  void finish(Diagnostics& diagnostics) {
    if (!files_.empty())
      diagnostics.now_about(std::make_shared<const Source>(diagnostics.source(), files_));
    for (Diagnostic& d : errors_)
      diagnostics.error(d.span, std::move(d.message), std::move(d.hint));
  }

 private:
  // `begin`: where its text stands in the whole source.
  void visit(const Source& source, std::size_t begin, const fs::path& path) {
    open_.push_back(path);
    for (const Import& import : imports_of(source)) {
      auto at = static_cast<std::uint32_t>(begin);
      Span span{import.span.begin + at, import.span.end + at};
      auto refuse = [&](std::string why) {
        errors_.push_back(
            {Severity::error,
             "cannot import " + stiffit::internal::quoted(std::string_view(import.file)), span,
             why});
      };
      FolderFile found = find_in_folder(root_, path.parent_path(), import.file);
      if (found.path.empty()) {
        refuse(found.reason);
      } else if (auto again = std::find(open_.begin(), open_.end(), found.path);
                 again != open_.end()) {
        std::string circle;
        for (; again != open_.end(); ++again) circle += again->filename().string() + " -> ";
        refuse("these files import each other: " + circle + found.path.filename().string());
      } else if (std::find(known_.begin(), known_.end(), found.path) == known_.end()) {
        read(found.path, refuse);
      }
    }
    open_.pop_back();
  }

  template <class Refuse>
  void read(const fs::path& path, Refuse refuse) {
    std::error_code trouble;
    std::size_t size = fs::file_size(path, trouble);
    if (files_.size() >= most_files || open_.size() >= deepest_import || size_ + size > most_text) {
      if (!gave_up_) refuse("too many or too large files are imported");
      gave_up_ = true;
      return;
    }
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (trouble || !file) return refuse("the file cannot be read");
    std::string content = text.str();
    if (std::size_t first = content.find_first_not_of(" \t\r\n");
        first != std::string::npos && content[first] == '<')
      return refuse("only text models can be imported; 'stiffit convert' makes one of SBML");
    known_.push_back(path);
    std::string name = (shown_ / fs::relative(path, root_, trouble)).string();
    if (name.starts_with("./")) name.erase(0, 2);
    Source source(name, std::move(content));
    std::size_t begin = size_ + 1;
    size_ = begin + source.text().size();
    files_.push_back(source);
    visit(source, begin, path);
  }

  fs::path root_;
  fs::path shown_;  // the folder as the user calls it
  std::vector<fs::path> known_, open_;
  std::vector<Source> files_;
  std::size_t size_;  // of all text so far
  std::vector<Diagnostic> errors_;
  bool gave_up_ = false;
};

}  // namespace

void gather_imports(Diagnostics& diagnostics, const std::string& folder) {
  const Source main = diagnostics.source();
  if (main.text().find("import") == std::string_view::npos) return;
  Gathering(main, folder).finish(diagnostics);
}

}  // namespace stiffit::internal
