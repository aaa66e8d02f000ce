// SPDX-License-Identifier: Apache-2.0
#include "change.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace stiffit::internal {
namespace {

using Piece = std::pair<std::size_t, std::size_t>;  // begin, end

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::size_t at_most(SplitMix& random, std::size_t most) {
  return static_cast<std::size_t>(random.next() % (most + 1));
}

// A line with its end, a word or number, or any few bytes.
Piece some_piece(std::string_view text, SplitMix& random) {
  if (text.empty()) return {0, 0};
  std::size_t begin = at_most(random, text.size() - 1), end = begin + 1;
  const int kind = random.below(4);
  if (kind == 0) {
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    while (end < text.size() && text[end - 1] != '\n') ++end;
  } else if (kind < 3 && is_word(text[begin])) {
    auto part = [&](char c) { return is_word(c) || (c == '.' && kind == 2); };
    while (begin > 0 && part(text[begin - 1])) --begin;
    while (end < text.size() && part(text[end])) ++end;
  } else {
    end = std::min(text.size(), begin + 1 + at_most(random, 11));
  }
  return {begin, end};
}

std::string_view taken(std::string_view text, Piece piece) {
  return text.substr(piece.first, piece.second - piece.first);
}

std::string replaced(std::string_view text, Piece piece, std::string_view by) {
  std::string result(text.substr(0, piece.first));
  return result.append(by).append(text.substr(piece.second));
}

}  // namespace

std::string_view some_number(SplitMix& random) {
  static const std::string_view numbers[] = {
      "0",      "1",       "2",     "-1",    "0.5",      "3",          "10",
      "1e-3",   "100",     "1e308", "1e309", "-1e308",   "1e-308",     "5e-324",
      "nan",    "inf",     "-inf",  "-0",    "1e15",     "1e16",       "1e300",
      "1e-300", "1e99999", "NaN",   "INF",   "Infinity", "0x10",       "1.",
      ".5",     "1e",      "1e+",   "--1",   "1_0",      "2147483648", "18446744073709551616"};
  return numbers[random.below(static_cast<int>(std::size(numbers)))];
}

std::string change_text(std::string_view input, std::string_view other,
                        std::span<const std::string_view> words, SplitMix& random) {
  const Piece here = some_piece(input, random);
  const std::size_t place = at_most(random, input.size());
  const std::string_view word =
      words.empty() ? std::string_view(" ") : words[random.below(static_cast<int>(words.size()))];
  switch (random.below(11)) {
    case 0:  // a piece is gone
      return replaced(input, here, "");
    case 1:  // once more, somewhere
      return replaced(input, {place, place}, taken(input, here));
    case 2: {  // again and again
      std::string many;
      for (int k = 1 << random.below(7); k > 0; --k) many += taken(input, here);
      return replaced(input, here, many);
    }
    case 3:
      return replaced(input, here, taken(input, some_piece(input, random)));
    case 4:
      return replaced(input, here, taken(other, some_piece(other, random)));
    case 5:
      return replaced(input, {place, place}, taken(other, some_piece(other, random)));
    case 6:
      return replaced(input, here, word);
    case 7:
      return replaced(input, {place, place}, word);
    case 8:
      return replaced(input, here, some_number(random));
    case 9: {  // a byte
      std::string result(input);
      if (!result.empty()) result[at_most(random, result.size() - 1)] ^= char(1 << random.below(8));
      return result;
    }
    default:  // the beginning of this, the end of the other
      return std::string(input.substr(0, place))
          .append(other.substr(std::min(other.size(), at_most(random, other.size()))));
  }
}

std::string change_input(const FuzzTarget& target, std::string_view input, std::string_view other,
                         SplitMix& random) {
  std::string result(input);
  for (int k = 1 + random.below(6); k > 0; --k)
    result = target.change ? target.change(result, other, random)
                           : change_text(result, other, target.words, random);
  if (result.size() > target.longest) result.resize(target.longest);
  return result;
}

}  // namespace stiffit::internal
