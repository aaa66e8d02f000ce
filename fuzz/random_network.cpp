// SPDX-License-Identifier: Apache-2.0
#include "random_network.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include "base/splitmix.h"

namespace stiffit::internal {
namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed * 7919 + 17) {
    const int species = 2 + random_.below(11);
    decades_ = 1 + random_.below(6);  // of rate constants on each side of one
    for (int i = 0; i < species; ++i) mass_.push_back(1 + (i + random_.below(2)) % 3);
  }

  RandomNetwork make() {
    const int species = static_cast<int>(mass_.size());
    const int reactions = species + random_.below(2 * species);
    std::string text;
    for (int i = 0; i < species; ++i)
      text += name(i) + " = " + number(random_.chance(30) ? 0 : power(2)) + "; ";
    text += "\n";
    for (int r = 0; r < reactions; ++r) text += reaction();
    RandomNetwork network;
    network.end = power_between(-0.5, 2.5);
    if (random_.chance(33)) text += events(network.end);
    network.text = text + constants_ + "\n";
    return network;
  }

 private:
  std::string name(int species) const { return "S" + std::to_string(species); }
  int any() { return random_.below(static_cast<int>(mass_.size())); }
  double power_between(double low, double high) {
    return std::pow(10, low + (high - low) * random_.unit());
  }
  double power(double decades) { return power_between(-decades, decades); }
  std::string constant(double value) {
    std::string id = "k" + std::to_string(count_++);
    constants_ += id + " = " + number(value) + "; ";
    return id;
  }
  std::string rate_constant() { return constant(power(decades_)); }

  // "2 S1 + S4" of this mass, by chance; unit masses fill what is left.
  std::string side(int mass) {
    std::string text;
    while (mass > 0) {
      int s = any();
      for (int tries = 0; mass_[static_cast<std::size_t>(s)] > mass; ++tries) {
        s = any();
        if (tries > 50) return "";
      }
      mass -= mass_[static_cast<std::size_t>(s)];
      text += (text.empty() ? "" : " + ") + name(s);
    }
    return text;
  }
  std::string balanced(int mass, const std::string& arrow) {
    const std::string left = side(mass), right = side(mass);
    if (left.empty() || right.empty()) return "";
    return left + arrow + right;
  }

  std::string reaction() {
    const std::string a = name(any()), b = name(any());
    switch (random_.below(12)) {
      case 0:  // made from the outside
        return "-> " + a + "; " + constant(power_between(-2, 1)) + "\n";
      case 1:
        return a + " -> ; " + rate_constant() + "\n";
      case 2:  // made as another one permits
        return "-> " + a + "; " + hill(b) + "\n";
      case 3: {  // a catalyst
        const std::string sides = balanced(1 + random_.below(3), " -> " + a + " + ");
        return sides.empty() ? "" : a + " + " + sides + "; " + rate_constant() + "\n";
      }
      case 4:
      case 5:
      case 6: {
        const std::string sides = balanced(1 + random_.below(4), " -> ");
        return sides.empty() ? "" : sides + "; " + rate_constant() + "\n";
      }
      case 7:
      case 8:
      case 9: {
        const std::string sides = balanced(1 + random_.below(4), " <-> ");
        return sides.empty() ? "" : sides + "; " + rate_constant() + ", " + rate_constant() + "\n";
      }
      case 10: {  // Michaelis and Menten
        const std::string e = name(any());
        return conversion([&](const std::string& s) {
          return constant(power_between(-2, 2)) + "*" + e + "*" + s + "/(" +
                 constant(power_between(-2, 1)) + " + " + s + ")";
        });
      }
      default:  // a conversion that another species speeds up or holds back
        return conversion([&](const std::string& s) { return s + "*" + hill(b); });
    }
  }
  template <class Law>
  std::string conversion(Law law) {
    const int s = any();
    const std::string to = side(mass_[static_cast<std::size_t>(s)]);
    return to.empty() ? "" : name(s) + " => " + to + "; " + law(name(s)) + "\n";
  }
  std::string hill(const std::string& s) {
    static const char* const exponents[] = {"1", "2", "4", "3"};
    const std::string n = exponents[random_.below(4)], k = constant(power_between(-1, 1)),
                      v = constant(power_between(-2, 1));
    return random_.chance(50)
               ? v + "*" + s + "^" + n + "/(" + k + "^" + n + " + " + s + "^" + n + ")"
               : v + "/(1 + (" + s + "/" + k + ")^" + n + ")";
  }

  std::string events(double end) {
    std::string text;
    for (int k = 1 + random_.below(2); k > 0; --k) {
      const std::string s = name(any());
      text += "at (time > " + number(end * (0.1 + 0.8 * random_.unit())) + "): " + s + " = " +
              (random_.chance(50) ? s + " + " + number(power(1)) : s + "*0.5") + "\n";
    }
    return text;
  }

  SplitMix random_;
  std::vector<int> mass_;
  int decades_ = 1, count_ = 0;
  std::string constants_;
};

}  // namespace

RandomNetwork random_network(std::uint64_t seed) { return Maker(seed).make(); }

}  // namespace stiffit::internal
