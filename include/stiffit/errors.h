// What the library throws. Everything else that goes wrong is part of a result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace stiffit {
inline namespace api {

// Something given to the library is wrong: a model, a table, a name, an option. what() says all of
// it, for a model with line, caret and hint, as the program `stiffit` shows it.
class InputError : public std::runtime_error {
 public:
  // `marked`: the same with a mark before the name of each option; empty: it names none.
  explicit InputError(const std::string& text, const std::string& marked = {})
      : std::runtime_error(text), marked_(marked) {}
  // what() with `before` in front of the name of each option: "--" as the program spells them.
  std::string spelled(const std::string& before) const;

 private:
  std::string marked_;
};

// An option is wrong, or does not go with the others.
class OptionError : public InputError {
 public:
  using InputError::InputError;
};

// The answer would hold more numbers than were allowed.
class TooLarge : public InputError {
 public:
  using InputError::InputError;
};

// The numerics came to no answer. what() says why, time() how far they came (NaN: there is none).
// Results that can end early say so by themselves; they throw this only when asked to.
class NumericsError : public std::runtime_error {
 public:
  NumericsError(const std::string& message, double time)
      : std::runtime_error(message), time_(time) {}
  double time() const { return time_; }

 private:
  double time_;
};

// The flag of the options (RunOptions::interrupt) was set while a model, a problem or an objective
// was made. Runs end early with what they have, and say so in their results.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace api
}  // namespace stiffit
