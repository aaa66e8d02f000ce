// SPDX-License-Identifier: Apache-2.0
#include "keep/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace stiffit {
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
      if (found < 8)
        start[static_cast<std::size_t>(found)] = fraction(std::sqrt(static_cast<long double>(n)));
      rounds[static_cast<std::size_t>(found++)] = fraction(std::cbrt(static_cast<long double>(n)));
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

}  // namespace

std::string sha256(std::string_view bytes) {
  static const Constants constants;
  std::array<Word, 8> state = constants.start;
  std::string padded(bytes);
  padded.push_back(static_cast<char>(0x80));
  while (padded.size() % 64 != 56) padded.push_back(0);
  std::uint64_t bits = bytes.size() * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded.push_back(static_cast<char>(bits >> shift));
  for (std::size_t i = 0; i < padded.size(); i += 64)
    compress(state, reinterpret_cast<const unsigned char*>(padded.data() + i), constants);
  std::string text;
  for (Word word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text.push_back("0123456789abcdef"[word >> shift & 15]);
  return text;
}

}  // namespace stiffit
