// Eight-lane AVX-512 code, checked on CPUs that cannot run it: objdump reads the bytes back, and
// the few instructions the emitter uses are carried out here, as their names say. Skipped without
// objdump. (On a CPU with AVX-512 emitter_test.cpp runs the same code for real.)
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include "compile/machine/assemble.h"
#include "compile/machine/vector_math.h"
#include "compile/tape_trial.h"

namespace stiffit::internal {
namespace {

using Lanes = std::array<double, 8>;
using Bits = std::uint64_t;

struct Line {
  std::string name, destination_mask;
  std::vector<std::string> operands;
  long address = -1;  // of a rip-relative operand
  bool zeroing = false;
};

// "1ba:\tvbroadcastsd zmm10{k1}{z},QWORD PTR [rip+0x5c]        # 0x20"
Line parse(const std::string& text) {
  Line line;
  std::string body = text;
  if (const auto note = body.find('#'); note != std::string::npos) {
    line.address = std::stol(body.substr(note + 1), nullptr, 16);
    body.erase(note);
  }
  std::istringstream in(body);
  in >> line.name;
  std::string rest, part;
  std::getline(in >> std::ws, rest);
  while (!rest.empty() && rest.back() == ' ') rest.pop_back();
  std::istringstream parts(rest);
  while (std::getline(parts, part, ',')) {
    if (const auto mask = part.find("{k"); mask != std::string::npos) {
      line.destination_mask = part.substr(mask + 1, 2);
      line.zeroing = part.find("{z}") != std::string::npos;
      part.erase(mask);
    }
    line.operands.push_back(part);
  }
  return line;
}

// Disassembles with objdump; empty if there is none.
std::vector<Line> disassemble(const asmjit::CodeHolder& code, std::size_t entry) {
  const std::string path = testing::TempDir() + "stiffit_avx512_code_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(code.textSection()->data()),
             static_cast<std::streamsize>(code.textSection()->bufferSize()));
  const std::string command =
      "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn --start-address=" +
      std::to_string(entry) + " " + path + " 2>/dev/null";
  std::vector<Line> lines;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    std::string text = buffer;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (const auto tab = text.find('\t'); tab != std::string::npos)
      lines.push_back(parse(text.substr(tab + 1)));
  }
  pclose(pipe);
  std::remove(path.c_str());
  return lines;
}

class Emulator {
 public:
  Emulator(const unsigned char* code, double* const* arrays) : code_(code), arrays_(arrays) {
    for (int k = static_cast<int>(Op::exp); k <= static_cast<int>(Op::rem); ++k)
      if (const void* f = math_function(static_cast<Op>(k), 8)) functions_[f] = static_cast<Op>(k);
  }

  void run(const std::vector<Line>& lines) {
    for (const Line& line : lines) step(line);
  }

 private:
  // Where a memory operand stands; pool entries are broadcast.
  const double* pool(long address) const {
    return reinterpret_cast<const double*>(code_ + address);
  }
  double* memory(const std::string& operand) {
    const auto open = operand.find('['), close = operand.find(']');
    const std::string inside = operand.substr(open + 1, close - open - 1);
    const auto plus = inside.find('+');
    const std::size_t offset =
        plus == std::string::npos ? 0 : std::stoul(inside.substr(plus + 1), nullptr, 16);
    const std::string base = inside.substr(0, plus);
    if (base == "rsp") {
      EXPECT_LE(offset + 64, frame_.size() * 8);
      return frame_.data() + offset / 8;
    }
    EXPECT_NE(gp_[base], nullptr) << "base " << base << " is not loaded";
    return gp_[base] + offset / 8;
  }
  Lanes value(const Line& line, std::size_t k) {
    const std::string& operand = line.operands[k];
    Lanes lanes;
    if (operand.find('[') == std::string::npos) return zmm_[std::stoi(operand.substr(3))];
    const bool broadcast = operand.find("BCST") != std::string::npos ||
                           operand.find("{1to8}") != std::string::npos ||
                           line.name == "vbroadcastsd";
    const bool in_pool = operand.find("rip") != std::string::npos;
    EXPECT_EQ(broadcast, in_pool) << line.name << ": only the pool holds single numbers";
    if (in_pool)
      lanes.fill(*pool(line.address));
    else
      std::memcpy(lanes.data(), memory(operand), 64);
    return lanes;
  }
  unsigned& mask(const std::string& name) { return k_[name[1] - '0']; }

  void step(const Line& line) {
    const std::string& name = line.name;
    const auto& operands = line.operands;
    static const std::set<std::string> frame{"push", "pop", "and", "lea", "vzeroupper", "ret"};
    seen.insert(name);
    if (frame.count(name)) return;
    if (name == "sub") {
      frame_.resize(std::stoul(operands[1], nullptr, 16) / 8);
    } else if (name == "mov") {
      move(operands);
    } else if (name == "movabs") {
      function_ = address(operands[1]);
    } else if (name == "call") {
      call();
    } else if (name[0] == 'k') {
      const unsigned a = mask(operands[1]), b = mask(operands[2]);
      mask(operands[0]) = name == "kandb" ? a & b : name == "korb" ? a | b : a ^ b;
    } else if (name.rfind("vcmp", 0) == 0) {
      compare(line);
    } else if (name == "vmovupd" && operands[0].find('[') != std::string::npos) {
      const Lanes from = value(line, 1);
      std::memcpy(memory(operands[0]), from.data(), 64);
    } else {
      compute(line);
    }
  }

  static const void* address(const std::string& digits) {
    return reinterpret_cast<const void*>(std::stoul(digits, nullptr, 16));
  }

  void move(const std::vector<std::string>& operands) {
    if (operands[0] == "rbp" || operands[0] == "rbx") return;
    const std::string& from = operands[1];  // QWORD PTR [rsi+0x10], or rbx after calls
    if (from.rfind("0x", 0) == 0) {         // of a function in a program at a fixed, low place
      function_ = address(from);
      return;
    }
    const auto plus = from.find('+');
    const std::size_t offset =
        plus == std::string::npos ? 0 : std::stoul(from.substr(plus + 1), nullptr, 16);
    gp_[operands[0]] = arrays_[offset / 8];
  }

  // Everything that the ABI lets a function destroy is destroyed.
  void call() {
    ASSERT_TRUE(functions_.count(function_));
    const Lanes a = zmm_[0], b = zmm_[1];
    for (Lanes& lanes : zmm_) lanes.fill(std::numeric_limits<double>::quiet_NaN());
    for (unsigned& k : k_) k = 0xa5;
    for (const char* lost : {"rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11"})
      gp_[lost] = nullptr;
    for (int l = 0; l < 8; ++l) zmm_[0][l] = evaluate(functions_[function_], a[l], b[l]);
  }

  void compare(const Line& line) {
    const Lanes a = value(line, 1), b = value(line, 2);
    unsigned result = 0;
    for (int l = 0; l < 8; ++l) {
      bool truth = false;
      const std::string& name = line.name;
      if (name == "vcmpeqpd") truth = a[l] == b[l];
      if (name == "vcmpneqpd") truth = a[l] != b[l];
      if (name == "vcmpneq_oqpd") truth = a[l] < b[l] || a[l] > b[l];
      if (name == "vcmplt_oqpd") truth = a[l] < b[l];
      if (name == "vcmple_oqpd") truth = a[l] <= b[l];
      if (name == "vcmpgt_oqpd") truth = a[l] > b[l];
      if (name == "vcmpge_oqpd") truth = a[l] >= b[l];
      result |= unsigned{truth} << l;
    }
    mask(line.operands[0]) = result;
  }

  static double bits(double a, double b, const std::function<Bits(Bits, Bits)>& f) {
    return std::bit_cast<double>(f(std::bit_cast<Bits>(a), std::bit_cast<Bits>(b)));
  }

  void compute(const Line& line) {
    const std::string& name = line.name;
    const std::size_t count = line.operands.size();
    ASSERT_GE(count, 2u) << name;  // "(bad)" has none
    ASSERT_EQ(line.operands[0].rfind("zmm", 0), 0u) << name;
    Lanes& to = zmm_[std::stoi(line.operands[0].substr(3))];
    const Lanes x = to, a = value(line, 1);
    Lanes b{};
    int immediate = 0;
    if (name == "vrndscalepd")
      immediate = std::stoi(line.operands[2], nullptr, 16);
    else if (count > 2)
      b = value(line, 2);
    for (int l = 0; l < 8; ++l) {
      const bool on = line.destination_mask.empty() || (mask(line.destination_mask) >> l & 1u) != 0;
      if (name == "vblendmpd")
        to[l] = on ? b[l] : a[l];
      else
        to[l] = on ? one(name, x[l], a[l], b[l], immediate) : line.zeroing ? 0 : x[l];
    }
  }

  static double one(const std::string& name, double x, double a, double b, int immediate) {
    if (name == "vmovupd" || name == "vmovapd" || name == "vbroadcastsd") return a;
    if (name == "vaddpd") return a + b;
    if (name == "vsubpd") return a - b;
    if (name == "vmulpd") return a * b;
    if (name == "vdivpd") return a / b;
    if (name == "vminpd") return a < b ? a : b;
    if (name == "vmaxpd") return a > b ? a : b;
    if (name == "vsqrtpd") return std::sqrt(a);
    if (name == "vandpd") return bits(a, b, std::bit_and<>());
    if (name == "vorpd") return bits(a, b, std::bit_or<>());
    if (name == "vxorpd") return bits(a, b, std::bit_xor<>());
    if (name == "vrndscalepd")
      return immediate == 9 ? std::floor(a) : immediate == 10 ? std::ceil(a) : std::trunc(a);
    const std::string form = name.substr(name.size() - 5, 3),
                      kind = name.substr(0, name.size() - 5);
    double p = x, q = b, r = a;              // 132: x*b + a
    if (form == "213") p = a, q = x, r = b;  // a*x + b
    if (form == "231") p = a, q = b, r = x;  // a*b + x
    if (kind == "vfmadd") return std::fma(p, q, r);
    if (kind == "vfmsub") return std::fma(p, q, -r);
    if (kind == "vfnmadd") return std::fma(-p, q, r);
    ADD_FAILURE() << "unexpected instruction " << name;
    return 0;
  }

  const unsigned char* code_;
  double* const* arrays_;
  std::vector<double> frame_;
  std::array<Lanes, 32> zmm_{};
  std::array<unsigned, 8> k_{};
  std::map<std::string, double*> gp_;
  std::map<const void*, Op> functions_;
  const void* function_ = nullptr;

 public:
  std::set<std::string> seen;
};

TEST(Avx512Code, MeansWhatTheTapeSays) {
  std::set<std::string> seen;
  const TapeShape shapes[] = {{60, 3, 6, 1 << 30, TapeMix::all},
                              {700, 3, 60, 1 << 30, TapeMix::native},
                              {700, 3, 60, 1 << 30, TapeMix::all},
                              {300, 20, 3, 50, TapeMix::all}};
  for (const TapeShape& shape : shapes) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      std::mt19937 random(seed);
      const Tape tape = random_tape(random, shape);
      asmjit::CodeHolder code;
      code.init(asmjit::Environment::host());
      const std::size_t entry = assemble(tape, 8, Isa::avx512, code);
      const std::vector<Line> lines = disassemble(code, entry);
      if (lines.empty()) GTEST_SKIP() << "no objdump";
      ASSERT_EQ(lines.back().name, "ret");
      TrialMemory memory(shape.arrays, shape.elements, 8);
      memory.fill(random);
      TrialMemory expected = memory.copy();
      TrialOracle(8, Isa::portable).run(tape, expected);
      Emulator emulator(code.textSection()->data(), memory.arrays());
      emulator.run(lines);
      ASSERT_EQ(memory.differences(expected), 0) << "seed " << seed << ", size " << shape.size;
      seen.insert(emulator.seen.begin(), emulator.seen.end());
    }
  }
  for (const char* name : {"vbroadcastsd", "vblendmpd", "vrndscalepd", "korb", "kandb", "kxorb",
                           "vfmadd132pd", "vfmsub213pd", "vfnmadd231pd", "vmaxpd", "vsqrtpd"})
    EXPECT_TRUE(seen.count(name)) << name << " was never tried";
}

}  // namespace
}  // namespace stiffit::internal

#endif
