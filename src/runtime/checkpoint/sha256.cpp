// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>

namespace stiffit::internal {
namespace {

using Word = std::uint32_t;

// The first 32 bits of the fractional parts of the roots of the first primes: cube roots for the
// rounds, square roots for the start (FIPS 180-4, 4.2.2 and 5.3.3).
struct Constants {
  std::array<Word, 64> rounds{};
  std::array<Word, 8> start{};

  Constants() {
    int found = 0;
    for (int n = 2; found < 64; ++n) {
      bool prime = true;
      for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      if (found < 8) start[found] = fraction(std::sqrt(static_cast<long double>(n)));
      rounds[found++] = fraction(std::cbrt(static_cast<long double>(n)));
    }
  }
  static Word fraction(long double root) {
    return static_cast<Word>((root - std::floor(root)) * 0x1p32L);
  }
};

void compress(std::array<Word, 8>& state, const unsigned char* block, const Constants& k) {
  std::array<Word, 64> w;
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = Word{block[4 * i]} << 24 | Word{block[4 * i + 1]} << 16 | Word{block[4 * i + 2]} << 8 |
           Word{block[4 * i + 3]};
  for (std::size_t i = 16; i < 64; ++i) {
    Word s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    Word s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    Word s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    Word t1 = h + s1 + ((e & f) ^ (~e & g)) + k.rounds[i] + w[i];
    Word s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    Word t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<Word, 8> add{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
}

class Digest {
 public:
  // Whole blocks; what is left over comes back.
  std::string_view take(std::string_view bytes) {
    for (; bytes.size() >= 64; bytes.remove_prefix(64)) {
      compress(state_, reinterpret_cast<const unsigned char*>(bytes.data()), constants());
      size_ += 64;
    }
    return bytes;
  }
  std::string end(std::string_view rest) {
    std::string padded(rest);
    padded.push_back(static_cast<char>(0x80));
    while (padded.size() % 64 != 56) padded.push_back(0);
    const std::uint64_t bits = (size_ + rest.size()) * 8;
    for (int shift = 56; shift >= 0; shift -= 8) padded.push_back(static_cast<char>(bits >> shift));
    take(padded);
    std::string text;
    for (Word word : state_)
      for (int shift = 28; shift >= 0; shift -= 4)
        text.push_back("0123456789abcdef"[word >> shift & 15]);
    return text;
  }

 private:
  static const Constants& constants() {
    static const Constants made;
    return made;
  }
  std::array<Word, 8> state_ = constants().start;
  std::uint64_t size_ = 0;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest;
  const std::string_view rest = digest.take(bytes);
  return digest.end(rest);
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  Digest digest;
  std::string piece(1 << 16, 0);  // whole blocks
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size()))) digest.take(piece);
  if (file.bad()) return {};
  piece.resize(file.gcount());
  const std::string rest(digest.take(piece));
  return digest.end(rest);
}

}  // namespace stiffit::internal
