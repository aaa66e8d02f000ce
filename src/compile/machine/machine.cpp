// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/machine.h"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace stiffit::internal {

namespace x86 = asmjit::x86;

Machine::Machine(asmjit::CodeHolder& code, const EmitPlan& plan, int lanes, Isa isa)
    : assembler(&code), code_(code) {
  bytes_ = lanes == 1 ? 8 : lanes == 8 && isa == Isa::avx512 ? 64 : 32;
  stride_ = 8 * lanes;
  halves_ = bytes_ < stride_;
  masks_ = isa == Isa::avx512 && lanes > 1;
  // AVX2 code reads constants as whole vectors, which every instruction can; AVX-512 code
  // broadcasts within the instruction; scalar code still does its bit operations on 16 bytes.
  constant_bytes_ = bytes_ == 32 && !masks_ ? 32 : 8;
  mask_bytes_ = bytes_ == 32 && !masks_ ? 32 : 16;
  pool_label_ = assembler.newLabel();
  entry_label_ = assembler.newLabel();
  half_label_ = assembler.newLabel();
  embed_pool(plan);
  choose_base_registers(plan);
}

void Machine::embed_pool(const EmitPlan& plan) {
  assembler.bind(pool_label_);
  const std::uint64_t sign = std::uint64_t{1} << 63;
  const std::uint64_t masks[] = {sign, ~sign, std::bit_cast<std::uint64_t>(1.0), 0};
  for (std::uint64_t mask : masks)
    assembler.embedDataArray(asmjit::TypeId::kUInt64, &mask, 1, mask_bytes_ / 8);
  for (double constant : plan.constants)
    assembler.embedDataArray(asmjit::TypeId::kFloat64, &constant, 1, constant_bytes_ / 8);
  assembler.align(asmjit::AlignMode::kZero, 64);
}

void Machine::choose_base_registers(const EmitPlan& plan) {
  const x86::Gp kept[] = {x86::r12, x86::r13, x86::r14, x86::r15};
  const x86::Gp lost[] = {x86::rdi, x86::rdx, x86::rcx, x86::r8, x86::r9, x86::r10, x86::r11};
  auto take_kept = [&] {
    for (const x86::Gp& gp : kept)
      if (!(halves_ && gp == x86::r15)) bases_.push_back({gp, true, -1});
  };
  auto take_lost = [&] {
    for (const x86::Gp& gp : lost) bases_.push_back({gp, false, -1});
  };
  if (halves_) saved_.push_back(x86::r15);
  if (plan.calls) {
    saved_.push_back(x86::rbx);
    arrays_ = x86::rbx;
    take_kept();
    take_lost();
  } else {
    arrays_ = x86::rsi;
    take_lost();
    take_kept();
  }
  if (static_cast<std::size_t>(plan.arrays) < bases_.size()) bases_.resize(plan.arrays);
  for (const BaseRegister& base : bases_)
    if (base.preserved) saved_.push_back(base.gp);
  bases_.push_back({x86::rax, false, -1});  // shared by the arrays that got none
}

Machine::Vec Machine::vec(int r) const {
  const auto index = static_cast<std::uint32_t>(r);
  if (bytes_ == 64) return x86::zmm(index);
  if (bytes_ == 32) return x86::ymm(index);
  return x86::xmm(index);
}

Machine::Mem Machine::constant(std::uint32_t index) const {
  const auto at =
      static_cast<std::int64_t>(4 * mask_bytes_) + std::int64_t{index} * constant_bytes_;
  return broadcast(x86::ptr(pool_label_, static_cast<std::int32_t>(at)));
}

Machine::Mem Machine::pool(PoolMask mask) const {
  return broadcast(x86::ptr(pool_label_, static_cast<int>(mask) * mask_bytes_));
}

Machine::Mem Machine::broadcast(const Mem& mem) const {
  if (!masks_) return mem;
  return bytes_ == 64 ? mem._1to8() : mem._1to4();
}

Machine::Mem Machine::element(std::uint32_t array, std::uint32_t element) {
  const std::int64_t at = std::int64_t{element} * stride_;
  if (at > std::numeric_limits<std::int32_t>::max() - 64)
    throw std::length_error("an array of a kernel is larger than 2 GB");
  BaseRegister& base = bases_[std::min<std::size_t>(array, bases_.size() - 1)];
  if (base.holds != array) {
    assembler.mov(base.gp, x86::qword_ptr(arrays_, static_cast<std::int32_t>(8 * array)));
    if (halves_) assembler.add(base.gp, x86::r15);
    base.holds = array;
  }
  return x86::ptr(base.gp, static_cast<std::int32_t>(at));
}

Machine::Mem Machine::slot(int slot) const { return x86::ptr(x86::rsp, slot * bytes_); }

void Machine::load(int to, const Mem& from) {
  if (from.hasBroadcast())
    assembler.vbroadcastsd(vec(to), from._1to1());
  else
    assembler.emit(id({Id::kIdVmovupd, Id::kIdVmovsd}), vec(to), from);
}

void Machine::store(const Mem& to, int from) {
  assembler.emit(id({Id::kIdVmovupd, Id::kIdVmovsd}), to, vec(from));
}

void Machine::move(int to, int from) {
  if (to != from) assembler.vmovapd(vec(to), vec(from));
}

void Machine::call(const void* function) {
  assembler.mov(x86::rax, reinterpret_cast<std::uint64_t>(function));
  assembler.call(x86::rax);
  for (BaseRegister& base : bases_)
    if (!base.preserved) base.holds = -1;
}

void Machine::begin() {
  assembler.bind(entry_label_);
  assembler.push(x86::rbp);
  assembler.mov(x86::rbp, x86::rsp);
  for (const x86::Gp& gp : saved_) assembler.push(gp);
  assembler.and_(x86::rsp, -64);
  assembler.sub(x86::rsp, 0x40000000);  // the size is known at the end
  frame_at_ = assembler.offset() - 4;
  if (arrays_ != x86::rsi) assembler.mov(arrays_, x86::rsi);
  if (halves_) {
    assembler.xor_(x86::r15d, x86::r15d);
    assembler.bind(half_label_);
  }
}

std::size_t Machine::finish(int slots) {
  if (halves_) {
    assembler.add(x86::r15, 32);
    assembler.cmp(x86::r15, 64);
    assembler.jb(half_label_);
  }
  if (!scalar()) assembler.vzeroupper();
  assembler.lea(x86::rsp, x86::ptr(x86::rbp, -8 * static_cast<std::int32_t>(saved_.size())));
  for (std::size_t k = saved_.size(); k-- > 0;) assembler.pop(saved_[k]);
  assembler.pop(x86::rbp);
  assembler.ret();
  const std::int64_t frame = (std::int64_t{slots} * bytes_ + 63) / 64 * 64;
  if (frame > 0x3fffffff) throw std::length_error("a tape keeps too many values alive");
  const auto frame32 = static_cast<std::int32_t>(frame);
  std::memcpy(code_.textSection()->buffer().data() + frame_at_, &frame32, sizeof frame32);
  return code_.labelOffset(entry_label_);
}

}  // namespace stiffit::internal

#endif
