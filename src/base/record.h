// Numbers and texts as bytes and back, for what is kept in a run's state. Little-endian.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

class RecordWriter {
 public:
  void number(double value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void whole(std::int64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    whole(static_cast<std::int64_t>(value.size()));
    bytes_.append(value);
  }
  void numbers(const std::vector<double>& values) {
    whole(static_cast<std::int64_t>(values.size()));
    for (double v : values) number(v);
  }
  void counts(const std::vector<std::uint32_t>& values) {
    whole(static_cast<std::int64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()),
                  values.size() * sizeof(std::uint32_t));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// A record that is too short or otherwise not ours.
class BadRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

  double number() { return take<double>(); }
  std::int64_t whole() { return take<std::int64_t>(); }
  std::size_t length(std::size_t item) {
    std::int64_t n = whole();
    if (n < 0 || static_cast<std::uint64_t>(n) > bytes_.size() / item)
      throw BadRecord("a stored record is damaged");
    return static_cast<std::size_t>(n);
  }
  std::string text() {
    std::size_t n = length(1);
    std::string value(bytes_.substr(0, n));
    bytes_.remove_prefix(n);
    return value;
  }
  std::vector<double> numbers() {
    std::vector<double> values(length(sizeof(double)));
    for (double& v : values) v = number();
    return values;
  }
  std::vector<std::uint32_t> counts() {
    std::vector<std::uint32_t> values(length(sizeof(std::uint32_t)));
    for (std::uint32_t& v : values) v = take<std::uint32_t>();
    return values;
  }
  void finish() const {
    if (!bytes_.empty()) throw BadRecord("a stored record is damaged");
  }

 private:
  template <class T>
  T take() {
    if (bytes_.size() < sizeof(T)) throw BadRecord("a stored record is damaged");
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view bytes_;
};

}  // namespace stiffit::internal
