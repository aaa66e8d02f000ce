// The functions of SBML Level 1: basic mathematics and rate laws (Version 2, Appendix C), by value.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "sbml_small_model.h"

namespace stiffit::internal {
namespace {

// Concentrations and constants that the laws are called with, no two alike.
constexpr double S = 1.3, P = 0.7, M = 0.45, I = 0.35, A = 1.1, B = 0.9, Q = 0.6;
constexpr double V = 2.5, W = 1.7, K = 0.8, L = 1.9, R = 0.55, T = 3.1, U = 4.3, h = 2.3, a = 1.4,
                 b = 0.65;

const std::string names =
    "S 1.3 P 0.7 M 0.45 I 0.35 A 1.1 B 0.9 Q 0.6 V 2.5 W 1.7 K 0.8 L 1.9 R 0.55 T 3.1 U 4.3 h 2.3 "
    "a 1.4 b 0.65";

std::string constants() {
  std::string text;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t middle = names.find(' ', at), end = names.find(' ', middle + 1);
    text += "<parameter name=\"" + names.substr(at, middle - at) + "\" value=\"" +
            names.substr(middle + 1, end - middle - 1) + "\"/>";
    at = end == std::string::npos ? names.size() : end + 1;
  }
  return text;
}

double value(const std::string& formula, int version = 2) {
  return simulate_sbml(
      sbml_text(1, version,
                "<listOfCompartments><compartment name=\"c\"/></listOfCompartments>"
                "<listOfParameters>" +
                    constants() +
                    "<parameter name=\"result\" value=\"0\"/></listOfParameters><listOfRules>"
                    "<parameterRule name=\"result\" formula=\"" +
                    formula + "\"/></listOfRules>"),
      {"result"}, 1)[0];
}

TEST(SbmlLevelOne, BasicMathematics) {
  const std::pair<const char*, double> expected[] = {
      {"abs(-S)", S},
      {"acos(P)", std::acos(P)},
      {"asin(P)", std::asin(P)},
      {"atan(S)", std::atan(S)},
      {"ceil(S)", 2},
      {"cos(S)", std::cos(S)},
      {"exp(S)", std::exp(S)},
      {"floor(S)", 1},
      {"log(S)", std::log(S)},
      {"log10(S)", std::log10(S)},
      {"pow(S, P)", std::pow(S, P)},
      {"sqr(S)", S * S},
      {"sqrt(S)", std::sqrt(S)},
      {"sin(S)", std::sin(S)},
      {"tan(S)", std::tan(S)},
      {"-S^2", S * S},  // the sign binds closer than the power
      {"(S + P)*2 - S/P", (S + P) * 2 - S / P},
  };
  for (const auto& [formula, expectation] : expected)
    EXPECT_NEAR(value(formula), expectation, 1e-14 * (1 + std::fabs(expectation))) << formula;
}

TEST(SbmlLevelOne, MichaelisMentenAndHill) {
  const double hill = S / K + P / L;
  const double above = V * S / K * (1 - P / (S * T)) * std::pow(hill, h - 1);
  const double one = std::pow(M / R, h), other = std::pow(Q / U, h);
  const std::pair<const char*, double> expected[] = {
      {"uui(S, V, K)", V * S / (K + S)},
      {"uur(S, P, V, W, K, L)", (V * S / K - W * P / L) / (1 + S / K + P / L)},
      {"uuhr(S, P, V, K, L, T)", V / K * (S - P / T) / (1 + S / K + P / L)},
      {"isouur(S, P, V, K, L, R, T)", V * (S - P / T) / (S * (1 + P / R) + K * (1 + P / L))},
      {"hilli(S, V, K, h)", V * std::pow(S, h) / (std::pow(K, h) + std::pow(S, h))},
      {"hillr(S, P, V, K, L, h, T)", above / (1 + std::pow(hill, h))},
      {"hillmr(S, P, M, K, L, R, V, T, h, a)",
       above / (std::pow(hill, h) + (1 + one) / (1 + a * one))},
      {"hillmmr(S, P, M, K, L, R, M, R, Q, U, V, T, h, a, b, a, b, I)",
       above / (std::pow(hill, h) +
                (1 + one + other) / (1 + a * one + b * other + a * b * I * one * other))},
  };
  for (const auto& [formula, expectation] : expected)
    EXPECT_NEAR(value(formula), expectation, 1e-14) << formula;
  EXPECT_NEAR(value("hillr(0*S, P, V, K, L, h, T)"),
              -V / K * P / T * std::pow(P / L, h - 1) / (1 + std::pow(P / L, h)), 1e-14);
}

TEST(SbmlLevelOne, InhibitionAndActivation) {
  const double there = V * S / K, both = V * S / K - W * P / L;
  const double i = I / R, c = I / T, ac = R / A, kac = T / A, bound = S / K + P / L;
  const std::pair<const char*, double> expected[] = {
      {"usii(S, V, K, R)", V * (S / K) / (1 + S / K + S * S / R)},
      {"usir(S, P, V, W, K, L, R)", (V * S / K + W * P / L) / (1 + bound + S * S / R)},
      {"uai(S, V, K, L)", V * (S / K) * (S / K) / (1 + S / L + (S / K) * (S / K) + S / K)},
      {"ucii(S, I, V, K, R)", there / (1 + S / K + i)},
      {"ucir(S, P, I, V, W, K, L, R)", both / (1 + bound + i)},
      {"unii(S, I, V, K, R)", there / (1 + i + S / K * (1 + i))},
      {"unir(S, P, I, V, W, K, L, R)", both / (1 + i + bound * (1 + i))},
      {"uuci(S, I, V, K, R)", there / (1 + S / K * (1 + i))},
      {"uucr(S, P, I, V, W, K, L, R)", both / (1 + bound * (1 + i))},
      {"umi(S, I, V, K, R, T)", there / (1 + i + S / K * (1 + c))},
      {"umr(S, P, I, V, W, K, L, R, T)", both / (1 + i + bound * (1 + c))},
      {"uaii(S, A, V, K, R)", there / (1 + S / K + ac)},
      {"uar(S, P, A, V, W, K, L, R)", both / (1 + bound + ac)},
      {"ucti(S, A, V, K, R)", there / (1 + ac + S / K * (1 + ac))},
      {"uctr(S, P, A, V, W, K, L, R)", both / (1 + ac + bound * (1 + ac))},
      {"umai(S, A, V, K, R, T)", there / (1 + ac + S / K * (1 + kac))},
      {"umar(S, P, A, V, W, K, L, R, T)", both / (1 + ac + bound * (1 + kac))},
      {"uhmi(S, M, V, K, R, a, b)",
       there * (1 + b * M / (a * R)) / (1 + M / R + S / K * (1 + M / (a * R)))},
      {"uhmr(S, P, M, V, W, K, L, R, a, b)",
       both * (1 + b * M / (a * R)) / (1 + M / R + bound * (1 + M / (a * R)))},
      {"ualii(S, I, V, K, R, h, L)",
       there * std::pow(1 + S / K, h - 1) / (L * std::pow(1 + i, h) + std::pow(1 + S / K, h))},
  };
  for (const auto& [formula, expectation] : expected)
    EXPECT_NEAR(value(formula), expectation, 1e-14) << formula;
  // Version 1 calls uaii uai, too.
  EXPECT_NEAR(value("uai(S, A, V, K, R)", 1), there / (1 + S / K + ac), 1e-14);
}

TEST(SbmlLevelOne, SeveralSubstrates) {
  const double way = V / (W * U);
  const std::pair<const char*, double> expected[] = {
      {"ordubr(A, P, Q, V, W, K, L, R, T, U)",
       V * (A - P * Q / U) / (K + A * (1 + P / T) + way * (L * P + R * Q + P * Q))},
      {"ordbur(A, B, P, V, W, K, L, R, T, U)",
       V * (A * B - P / U) / (A * B + K * B + L * A + way * (R + P * (1 + A / T)))},
      {"ordbbr(A, B, P, Q, V, W, K, L, R, T, S, I, M, U)",
       V * (A * B - P * Q / U) /
           (A * B * (1 + P / M) + L * (A + S) + K * B +
            way * (T * P * (1 + A / S) + Q * (R * (1 + K * B / (S * L) + P * (1 + B / I)))))},
      {"ppbr(A, B, P, Q, V, W, K, L, R, T, S, M, U)",
       V * (A * B - P * Q / U) /
           (A * B + L * A + K * B * (1 + Q / M) + way * (T * P * (1 + A / S) + Q * (R + P)))},
      {"mass(A, B, K)", K * A * B},
      {"mass(K)", K},
      {"massr(A, P, K, L)", K * A - L * P},
      {"2*uui(mass(A, B, K), V, uui(S, V, K))",
       2 * V * (K * A * B) / (V * S / (K + S) + K * A * B)},
  };
  for (const auto& [formula, expectation] : expected)
    EXPECT_NEAR(value(formula), expectation, 1e-14) << formula;
  EXPECT_NEAR(value("massi(A, B, K)", 1), K * A * B, 1e-14);
}

// The reaction says which of the arguments are used up.
TEST(SbmlLevelOne, ReversibleMassActionOfAReaction) {
  auto rate = [](const std::string& formula) {
    std::string species;
    for (const char* name : {"A", "B", "C", "D"})
      species += std::string("<specie name=\"") + name +
                 "\" compartment=\"c\" boundaryCondition=\"true\" initialAmount=\"" +
                 std::to_string(name[0] - 'A' + 2) + "\"/>";
    return simulate_sbml(
        sbml_text(1, 1,
                  "<listOfCompartments><compartment name=\"c\"/></listOfCompartments>"
                  "<listOfSpecies>" +
                      species +
                      "</listOfSpecies><listOfReactions><reaction name=\"r\"><listOfReactants>"
                      "<specieReference specie=\"A\"/></listOfReactants><listOfProducts>"
                      "<specieReference specie=\"C\"/><specieReference specie=\"D\"/>"
                      "</listOfProducts><kineticLaw formula=\"" +
                      formula +
                      "\"><listOfParameters><parameter name=\"k\" value=\"7\"/><parameter "
                      "name=\"q\" value=\"0.5\"/></listOfParameters></kineticLaw></reaction>"
                      "</listOfReactions>"),
        {"rate(r)"}, 1)[0];
  };
  EXPECT_DOUBLE_EQ(rate("massr(A, C, D, k, q)"), 7 * 2 - 0.5 * 4 * 5);
  EXPECT_DOUBLE_EQ(rate("massr(A, A, C, k, q)"), 7 * 2 * 2 - 0.5 * 4);
  EXPECT_DOUBLE_EQ(rate("massr(B, C, k, q)"), 7 * 3 - 0.5 * 4);
  EXPECT_THROW(rate("massr(A, B, C, k, q)"), InputError);
}

TEST(SbmlLevelOne, WrongCallsHaveAPlace) {
  auto message = [](const std::string& formula) -> std::string {
    try {
      value(formula);
    } catch (const InputError& trouble) {
      return trouble.what();
    }
    return {};
  };
  const std::string few = message("uui(S, V)");
  EXPECT_NE(few.find("function 'uui' is called with 2 arguments"), std::string::npos) << few;
  EXPECT_NE(few.find("it takes S Vm Km"), std::string::npos) << few;
  const std::string unknown = message("uux(S, V)");
  EXPECT_NE(unknown.find("unknown function 'uux'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find(".xml:2:"), std::string::npos) << unknown;
  EXPECT_NE(message("massr(A, B, P, K, L)").find("cannot be told apart"), std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
