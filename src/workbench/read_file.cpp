// SPDX-License-Identifier: Apache-2.0
#include "workbench/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/diagnostic.h"

namespace stiffit {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError("error: cannot read '" + path + "': " + why + "\n");
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) refuse(path, "it is a folder");
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(path, errno == ENOENT ? "no such file" : std::strerror(errno));
  auto too_large = [&] {
    refuse(path, "it is larger than " + std::to_string(largest_file >> 20) + " MB");
  };
  // A pipe has no size; what has one is not read in vain.
  const auto size = std::filesystem::file_size(path, code);
  if (!code && size > largest_file) too_large();
  std::string text;
  std::size_t block = 1 << 16;
  for (;;) {
    std::size_t had = text.size();
    text.resize(had + block);
    std::size_t got = std::fread(text.data() + had, 1, block, file.get());
    text.resize(had + got);
    if (text.size() > largest_file) too_large();
    if (got < block) break;
    block = std::min<std::size_t>(block * 2, 1 << 24);
  }
  if (std::ferror(file.get())) refuse(path, std::strerror(errno));
  if (std::memchr(text.data(), 0, text.size()))
    refuse(path, "it holds NUL bytes, so it is no UTF-8 text (binary, or UTF-16?)");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace stiffit
