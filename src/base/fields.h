// Options stated once, in a table beside their struct: name, type, default, range, unit, help, and
// which surfaces show them. From the table come the lines of help and completion, the reading of
// values from text with its errors, the checks of a struct that a program has filled, the settings
// of provenance, and the options that the server and Python take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/option_error.h"

namespace stiffit::internal {

enum Surface : unsigned {
  on_command_line = 1,
  on_server = 2,
  in_python = 4,
  on_all_surfaces = 7,
};

// Whether the answer depends on a field, so that it is part of a run's provenance.
enum class Provenanced { no, always, if_given };

// What is known of a field without its struct.
struct FieldInfo {
  std::string name;        // as the command line spells it, without the dashes
  std::string value = {};  // what the value is called in the help; empty: a flag without one
  std::string help = {};   // one line, with the default
  Provenanced provenance = Provenanced::no;
  unsigned surfaces = on_all_surfaces;
  char letter = 0;          // -o for --output
  std::string unit = {};    // of a number; empty: none
  bool in_general = false;  // every command has it, and its line of help is among those
  std::string python = {};  // its keyword in Python; empty: the name with underscores
  // Set by the table:
  std::string type = {};      // whole number, number, text, yes or no, flag, list
  std::string range = {};     // in words; empty: any
  std::string fallback = {};  // the default as text; empty: none of its own
  std::vector<std::string> choices = {};
  bool repeated = false;  // may be given several times

  bool shown(Surface surface) const { return (surfaces & surface) != 0; }
  std::string keyword() const;  // of Python and of the server's documents
};

using Texts = std::vector<std::string>;

// How a value is read, shown and checked; `text` of what is not set is empty.
template <class T>
struct FieldRule {
  std::string type, range;
  std::vector<std::string> choices = {};
  bool repeated = false;
  std::function<T(const FieldInfo&, const Texts&)> read;
  std::function<std::string(const T&)> text;
  std::function<void(const FieldInfo&, const T&)> check = {};  // throws OptionError; may be empty
  // As the words of a command line: one for each time that the option is given. Not set: `text`.
  std::function<Texts(const T&)> words = {};
};

// Whole numbers from `least` on; beyond `most` it is an error too.
FieldRule<int> whole_rule(int least, int most);
FieldRule<long> long_rule(long least, long most);
FieldRule<std::uint64_t> seed_rule();
FieldRule<double> above_zero();
// Any finite number; NaN stands for none.
FieldRule<double> number_rule();
// Above zero; what is negative stands for a scale of its own.
FieldRule<double> tolerance_rule();
// Parts between commas, one at least.
FieldRule<std::vector<double>> numbers_rule();
FieldRule<std::vector<double>> positive_numbers_rule();
// name=value, each time that the option is given.
FieldRule<std::map<std::string, double>> values_rule();
// The name and what follows the first '='. Throws OptionError.
std::pair<std::string, std::string> name_and_rest(const FieldInfo& info, const std::string& text);
FieldRule<bool> yes_or_no();
FieldRule<std::optional<bool>> perhaps_yes_or_no();
FieldRule<bool> flag_rule();
FieldRule<std::string> text_rule();
FieldRule<std::string> choice_rule(std::vector<std::string> choices);
// Each time that the option is given adds one.
FieldRule<Texts> repeated_rule();
// Parts between commas outside of brackets.
FieldRule<Texts> list_rule();

// Parts separated by commas outside of brackets: a,[S1],A(b,c) are three.
std::vector<std::string> split_at_commas(std::string_view text);
// "a, b or c".
std::string either(const std::vector<std::string>& names, const char* last = "or");

template <class Options>
struct Field : FieldInfo {
  std::function<void(Options&, const Texts&)> read;  // throws OptionError
  std::function<std::string(const Options&)> text;   // empty: not set
  std::function<bool(const Options&)> given;         // it is not the default
  std::function<void(const Options&)> check;         // throws OptionError
  std::function<Texts(const Options&)> words;        // what `read` makes the same value of
};
template <class Options>
using FieldTable = std::vector<Field<Options>>;

namespace detail {

inline bool same(double a, double b) { return a == b || (a != a && b != b); }
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

}  // namespace detail

// `get`: a pointer to a member, or a function from Options& to a reference.
template <class Options, class Get,
          class T = std::remove_cvref_t<std::invoke_result_t<Get, Options&>>>
Field<Options> field(FieldInfo info, Get get, FieldRule<std::type_identity_t<T>> rule) {
  Options fresh{};
  const T fallback = std::invoke(get, fresh);
  info.type = rule.type;
  info.range = rule.range;
  info.choices = rule.choices;
  info.repeated = rule.repeated;
  info.fallback = rule.text(fallback);
  auto value_of = [get](const Options& o) -> const T& {
    return std::invoke(get, const_cast<Options&>(o));
  };
  auto given = [value_of, fallback](const Options& o) {
    return !detail::same(value_of(o), fallback);
  };
  Field<Options> f{info, {}, {}, given, {}, {}};
  f.read = [get, rule, info](Options& o, const Texts& texts) {
    T value = rule.read(info, texts);
    if (rule.check) rule.check(info, value);
    std::invoke(get, o) = std::move(value);
  };
  f.text = [value_of, rule](const Options& o) { return rule.text(value_of(o)); };
  f.check = [value_of, given, rule, info](const Options& o) {
    if (rule.check && given(o)) rule.check(info, value_of(o));
  };
  f.words = [value_of, rule](const Options& o) {
    return rule.words ? rule.words(value_of(o)) : Texts{rule.text(value_of(o))};
  };
  return f;
}

// The fields of a struct inside of another.
template <class Outer, class Inner>
FieldTable<Outer> fields_of(Inner Outer::*inner, const FieldTable<Inner>& table) {
  FieldTable<Outer> result;
  for (const Field<Inner>& f : table)
    result.push_back({f, [inner, f](Outer& o, const Texts& texts) { f.read(o.*inner, texts); },
                      [inner, f](const Outer& o) { return f.text(o.*inner); },
                      [inner, f](const Outer& o) { return f.given(o.*inner); },
                      [inner, f](const Outer& o) { f.check(o.*inner); },
                      [inner, f](const Outer& o) { return f.words(o.*inner); }});
  return result;
}

template <class Options>
FieldTable<Options> operator+(FieldTable<Options> a, const FieldTable<Options>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class Options>
FieldTable<Options> on_surface(const FieldTable<Options>& table, Surface surface) {
  FieldTable<Options> shown;
  for (const Field<Options>& f : table)
    if (f.shown(surface)) shown.push_back(f);
  return shown;
}

template <class Options>
std::vector<FieldInfo> infos(const FieldTable<Options>& table) {
  return {table.begin(), table.end()};
}

// The field of that name, also with underscores; OptionError with the nearest one if there is none.
// Python's own keywords are names as well.
std::size_t field_index(const std::vector<FieldInfo>& table, std::string_view name);

template <class Options>
bool is_field(const FieldTable<Options>& table, std::string_view name) {
  for (const FieldInfo& f : table)
    if (f.name == name) return true;
  return false;
}

template <class Options>
void read_field(const FieldTable<Options>& table, std::string_view name, const Texts& texts,
                Options& options) {
  table[field_index(infos(table), name)].read(options, texts);
}

template <class Options>
void check_fields(const FieldTable<Options>& table, const Options& options) {
  for (const Field<Options>& f : table) f.check(options);
}

// What is not as by default, by name, as texts that read_field() takes.
template <class Options>
std::vector<std::pair<std::string, Texts>> given_fields(const FieldTable<Options>& table,
                                                        const Options& options) {
  std::vector<std::pair<std::string, Texts>> given;
  for (const Field<Options>& f : table)
    if (f.given(options)) given.emplace_back(f.name, f.words(options));
  return given;
}

// What the answer depends on, as text by name.
template <class Options>
void add_provenance(const FieldTable<Options>& table, const Options& options,
                    std::map<std::string, std::string>& settings) {
  for (const Field<Options>& f : table)
    if (f.provenance == Provenanced::always ||
        (f.provenance == Provenanced::if_given && f.given(options)))
      settings[f.name] = f.text(options);
}

}  // namespace stiffit::internal
