// SPDX-License-Identifier: Apache-2.0
#include "server/work/archive.h"

#include <sys/stat.h>
#include <zip.h>

#include <memory>
#include <stdexcept>

#include "server/http/request_error.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t longest_path = 200;
constexpr std::size_t deepest = 8;

RequestError bad(const std::string& why) { return {422, "the archive is refused: " + why}; }

using Archive = std::unique_ptr<zip_t, void (*)(zip_t*)>;

Archive open_archive(zip_source_t* source, int flags) {
  zip_error_t error;
  zip_error_init(&error);
  zip_t* opened = source ? zip_open_from_source(source, flags, &error) : nullptr;
  zip_error_fini(&error);
  if (!opened) {
    if (source) zip_source_free(source);
    throw bad("it is no zip file, or it is damaged");
  }
  return {opened, zip_discard};
}

std::string read_entry(zip_t* archive, zip_uint64_t index, const std::string& name,
                       std::size_t left) {
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive, index, 0),
                                                         zip_fclose);
  if (!file) throw bad("'" + name + "' cannot be read");
  std::string content;
  char bytes[1 << 16];
  for (;;) {
    const zip_int64_t got = zip_fread(file.get(), bytes, sizeof bytes);
    if (got < 0) throw bad("'" + name + "' is damaged");
    if (got == 0) return content;
    if (content.size() + static_cast<std::size_t>(got) > left)
      throw RequestError(413, "the archive is refused: it is too large when unpacked");
    content.append(bytes, static_cast<std::size_t>(got));
  }
}

bool is_link(zip_t* archive, zip_uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return false;
  if (system != ZIP_OPSYS_UNIX) return false;
  const auto kind = (attributes >> 16) & S_IFMT;
  return kind != 0 && kind != S_IFREG && kind != S_IFDIR;
}

}  // namespace

bool is_safe_path(std::string_view path) {
  if (path.empty() || path.size() > longest_path) return false;
  std::size_t parts = 0;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part.front() == '.' || part.front() == '-' || ++parts > deepest)
      return false;
    for (char c : part)
      if (static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == ':' || c == 0x7f) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

FileMap unzip(const std::string& bytes, std::size_t largest, std::size_t most_files) {
  if (!is_zip(bytes)) throw bad("it is no zip file");
  const Archive archive =
      open_archive(zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr), ZIP_RDONLY);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count < 0 || static_cast<std::size_t>(count) > most_files)
    throw bad("it holds more than " + std::to_string(most_files) + " files");
  FileMap files;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t about;
    if (zip_stat_index(archive.get(), i, 0, &about) != 0 || !about.name)
      throw bad("an entry cannot be read");
    std::string name = about.name;
    const bool folder = name.ends_with('/');
    if (folder) name.pop_back();
    if (name.starts_with("__MACOSX")) continue;  // what a Mac adds for itself
    if (const std::size_t slash = name.rfind('/');
        name.substr(slash == std::string::npos ? 0 : slash + 1) == ".DS_Store")
      continue;
    if (!is_safe_path(name)) throw bad("the name '" + name.substr(0, 80) + "' is not allowed");
    if (is_link(archive.get(), i)) throw bad("'" + name + "' is a link");
    if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) && about.encryption_method != ZIP_EM_NONE)
      throw bad("'" + name + "' is encrypted");
    if (folder) continue;
    std::string content = read_entry(archive.get(), i, name, largest);
    largest -= content.size();
    if (!files.emplace(name, std::move(content)).second) throw bad("'" + name + "' is there twice");
  }
  return files;
}

std::string zip(const FileMap& files) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (!target) throw std::runtime_error("no memory for an archive");
  zip_source_keep(target);
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> held(target, zip_source_free);
  Archive archive = open_archive(target, ZIP_TRUNCATE);
  for (const auto& [name, content] : files) {
    zip_source_t* source = zip_source_buffer(archive.get(), content.data(), content.size(), 0);
    if (!source || zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
      zip_source_free(source);
      throw std::runtime_error("an archive cannot be written");
    }
  }
  if (zip_close(archive.get()) != 0) throw std::runtime_error("an archive cannot be written");
  archive.release();
  std::string bytes;
  if (zip_source_open(target) != 0) throw std::runtime_error("an archive cannot be read");
  char part[1 << 16];
  for (zip_int64_t got; (got = zip_source_read(target, part, sizeof part)) > 0;)
    bytes.append(part, static_cast<std::size_t>(got));
  zip_source_close(target);
  return bytes;
}

}  // namespace stiffit::internal
