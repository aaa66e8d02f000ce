// From a tape to machine code, in three steps, each linear in the tape's length:
//   emit_plan              what is left of the tape, and the next use of every value
//   instruction_selection  walks the plan once; asks register_file for registers
//   machine                writes the bytes, through asmjit's assembler
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "compile/kernel.h"

#if defined(__x86_64__)

#include "compile/machine/assemble.h"
#include "compile/machine/instruction_selection.h"

namespace stiffit::internal {
namespace {

// Keeps the first error: an instruction that cannot be encoded is otherwise left out silently.
class FirstError : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    if (text_.empty()) text_ = message;
  }
  void check() const {
    if (!text_.empty()) throw std::logic_error("machine code: " + text_);
  }

 private:
  std::string text_;
};

// One for the process; kernels share it, so that it outlives the last of them.
const std::shared_ptr<asmjit::JitRuntime>& runtime() {
  static const auto shared = std::make_shared<asmjit::JitRuntime>();
  return shared;
}

}  // namespace

std::size_t assemble(const Tape& tape, int lanes, Isa isa, asmjit::CodeHolder& code) {
  if (lanes != 1 && lanes != 4 && lanes != 8)
    throw std::invalid_argument("a kernel has 1, 4 or 8 lanes");
  FirstError errors;
  code.setErrorHandler(&errors);
  const EmitPlan plan = make_emit_plan(tape);
  // Doubling the buffer by copying would cost more than asking for about enough at once.
  code.reserveBuffer(&code.textSection()->buffer(),
                     1024 + 10 * plan.code.size() + 32 * plan.constants.size());
  Machine machine(code, plan, lanes, isa);
  InstructionSelection selection(machine, plan);
  machine.begin();
  selection.emit_all();
  const std::size_t entry = machine.finish(selection.slots());
  code.setErrorHandler(nullptr);
  errors.check();
  return entry;
}

Kernel emit(const Tape& tape, int lanes, Isa isa) {
  const std::vector<Isa> possible = possible_isas();
  if (isa == Isa::portable || std::find(possible.begin(), possible.end(), isa) == possible.end())
    throw std::invalid_argument("machine code for an instruction set this CPU does not have");
  asmjit::CodeHolder code;
  code.init(runtime()->environment());
  const std::size_t entry = assemble(tape, lanes, isa, code);
  unsigned char* memory = nullptr;
  if (runtime()->add(&memory, &code) != asmjit::kErrorOk)
    throw std::runtime_error("no executable memory for machine code");
  Kernel kernel;
  kernel.owner_ = std::shared_ptr<const void>(
      memory, [keep = runtime()](const void* p) { keep->release(const_cast<void*>(p)); });
  kernel.run_ = reinterpret_cast<Kernel::Run>(memory + entry);
  kernel.code_bytes_ = code.codeSize();
  return kernel;
}

}  // namespace stiffit::internal

#else

namespace stiffit::internal {

Kernel emit(const Tape&, int, Isa) {
  throw std::invalid_argument("there is no machine code for this kind of CPU");
}

}  // namespace stiffit::internal

#endif
