// SPDX-License-Identifier: Apache-2.0
#include "analysis/steady/reduced_jacobian.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "analysis/steady/strong_components.h"
#include "linear/dense/decompositions.h"
#include "linear/dense/sparse_factors.h"

namespace stiffit::internal {
namespace {

constexpr Eigen::Index largest_dense = 200;
constexpr double smallest_rcond = 1e-14;

// Balanced by powers of two: rates of ten decades stand in one matrix.
void balance(Eigen::MatrixXd& matrix) {
  for (bool again = true; again;) {
    again = false;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const double diagonal = std::fabs(matrix(i, i));
      const double r = matrix.row(i).lpNorm<1>() - diagonal,
                   c = matrix.col(i).lpNorm<1>() - diagonal;
      if (!(r > 0) || !(c > 0) || !std::isfinite(r) || !std::isfinite(c)) continue;
      const double f = std::exp2(std::round(0.5 * std::log2(r / c)));
      if (r / f + c * f < 0.95 * (r + c)) {
        matrix.row(i) /= f;
        matrix.col(i) *= f;
        again = true;
      }
    }
  }
}

// Rows and columns scaled until the largest entry of each is about 1. So no unit is special, nor
// the size of a state: a rare one may carry all that goes on.
void equilibrate(std::vector<SparseEntry>& entries, Eigen::VectorXd& rows, Eigen::VectorXd& columns,
                 Eigen::Index size) {
  rows = columns = Eigen::VectorXd::Ones(size);
  for (int round = 0; round < 4; ++round) {
    Eigen::VectorXd in_row = Eigen::VectorXd::Zero(size), in_column = in_row;
    for (const SparseEntry& e : entries) {
      const double value = std::fabs(e.value);
      in_row[e.row] = std::max(in_row[e.row], value);
      in_column[e.column] = std::max(in_column[e.column], value);
    }
    auto factor = [](double most) { return most > 0 ? 1 / std::sqrt(most) : 1; };
    for (SparseEntry& e : entries)
      e.value = e.value * factor(in_row[e.row]) * factor(in_column[e.column]);
    for (Eigen::Index i = 0; i < size; ++i) {
      rows[i] *= factor(in_row[i]);
      columns[i] *= factor(in_column[i]);
    }
  }
}

std::vector<std::complex<double>> eigenvalues_of(Eigen::MatrixXd matrix) {
  if (matrix.rows() == 0) return {};
  if (matrix.rows() == 1) return {matrix(0, 0)};
  balance(matrix);
  const Eigen::VectorXcd values = eigenvalues(matrix);
  return {values.begin(), values.end()};
}

}  // namespace

struct ReducedJacobian::Matrices {
  // The matrix that is factored is R J C, of the members alone.
  struct Factors {
    std::vector<Eigen::Index> members;  // of the kept states
    Eigen::VectorXd row_scale, column_scale;
    bool dense = true, held = false;
    std::shared_ptr<const GeneralFactors> lu;
    std::shared_ptr<const ShortestSolver> shortest;  // of a neutral block
    std::shared_ptr<const SparseFactors> sparse_lu;

    Eigen::VectorXd solve(const Eigen::VectorXd& right, bool neutral) const {
      Eigen::VectorXd b = row_scale.cwiseProduct(right);
      if (held || (neutral && !dense)) return Eigen::VectorXd::Zero(b.size());
      if (neutral)
        b = shortest->solve(b);
      else
        b = dense ? lu->solve(b) : sparse_lu->solve(b);
      return column_scale.cwiseProduct(b);
    }
  };
  Eigen::Index size = 0;
  std::vector<Eigen::Triplet<double>> entries;  // kept x kept, repeated ones add up
  Eigen::SparseMatrix<double> matrix;
  std::vector<int> block_of, place;  // per kept state: its block, and its place in that
  std::vector<Factors> factors;

  std::vector<std::complex<double>> eigenvalues(std::size_t block) const {
    const std::vector<Eigen::Index>& members = factors[block].members;
    const Eigen::Index count = members.size();
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(count, count);
    for (Eigen::Index j = 0; j < count; ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, members[j]); it; ++it)
        if (block_of[it.row()] == static_cast<int>(block)) dense(place[it.row()], j) = it.value();
    return eigenvalues_of(std::move(dense));
  }

  // Of the whole, without the states whose equation is 0 = f.
  std::vector<std::complex<double>> eliminated(const MoietyRows& rows,
                                               const std::vector<double>& mass) const {
    const Eigen::MatrixXd full(matrix);
    std::vector<Eigen::Index> moving, still;
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::size_t state = rows.kept[i];
      (mass[state] != 0 ? moving : still).push_back(i);
    }
    Eigen::MatrixXd rest = full(moving, moving);
    if (!still.empty())
      rest -= full(moving, still) *
              GeneralFactors(full(still, still)).solve_columns(full(still, moving));
    return eigenvalues_of(std::move(rest));
  }
};

ReducedJacobian::ReducedJacobian(const Sparsity& pattern, const MoietyRows& rows)
    : pattern_(pattern), rows_(rows), m_(std::make_unique<Matrices>()) {
  m_->size = rows.kept.size();
  row_of_.assign(rows.place.size(), -1);
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    row_of_[rows.rows[r].dependent] = static_cast<int>(r);
}

ReducedJacobian::~ReducedJacobian() = default;

void ReducedJacobian::assemble(const double* jacobian) {
  auto& entries = m_->entries;
  entries.clear();
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern_.n); ++j)
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
      const int row = rows_.place[pattern_.row[k]];
      if (row < 0) continue;
      if (rows_.place[j] >= 0) {
        entries.emplace_back(row, rows_.place[j], jacobian[k]);
        continue;
      }
      // A dependent state moves as the others of its row make it.
      for (auto& [state, c] : rows_.rows[row_of_[j]].others)
        entries.emplace_back(row, rows_.place[state], -c * jacobian[k]);
    }
  m_->matrix.resize(m_->size, m_->size);
  m_->matrix.setFromTriplets(entries.begin(), entries.end());
  m_->matrix.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });
}

void ReducedJacobian::find_blocks() {
  Matrices& m = *m_;
  std::vector<std::vector<int>> components =
      strong_components(static_cast<int>(m.size), [&](int j) {
        return std::span<const int>(m.matrix.innerIndexPtr() + m.matrix.outerIndexPtr()[j],
                                    m.matrix.innerIndexPtr() + m.matrix.outerIndexPtr()[j + 1]);
      });
  blocks_.assign(components.size(), {});
  m.factors.assign(components.size(), {});
  m.block_of.assign(m.size, -1);
  m.place.assign(m.size, -1);
  for (std::size_t b = 0; b < components.size(); ++b)
    for (int kept : components[b]) {
      m.block_of[kept] = static_cast<int>(b);
      m.place[kept] = static_cast<int>(m.factors[b].members.size());
      m.factors[b].members.push_back(kept);
      blocks_[b].states.push_back(rows_.kept[kept]);
    }
}

bool ReducedJacobian::factor(const double* jacobian) {
  Matrices& m = *m_;
  assemble(jacobian);
  for (Eigen::Index k = 0; k < m.matrix.nonZeros(); ++k)
    if (!std::isfinite(m.matrix.valuePtr()[k])) return false;
  find_blocks();
  frozen_.clear();
  std::vector<char> acted_on(m.size, 0);
  for (Eigen::Index k = 0; k < m.matrix.nonZeros(); ++k) acted_on[m.matrix.innerIndexPtr()[k]] = 1;
  bool regular = true;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Matrices::Factors& own = m.factors[b];
    const Eigen::Index size = own.members.size();
    std::vector<SparseEntry> entries;
    for (Eigen::Index j = 0; j < size; ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(m.matrix, own.members[j]); it; ++it)
        if (m.block_of[it.row()] == static_cast<int>(b))
          entries.push_back({m.place[it.row()], static_cast<int>(j), it.value()});
    equilibrate(entries, own.row_scale, own.column_scale, size);
    if (entries.empty()) {
      own.held = true;
      const bool frozen = !acted_on[own.members[0]];
      if (frozen)
        frozen_.push_back(blocks_[b].states[0]);
      else
        regular = false;
      blocks_[b].neutral = true;
      continue;
    }
    own.dense = size <= largest_dense;
    if (own.dense) {
      Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
      for (auto& e : entries) matrix(e.row, e.column) = e.value;
      own.lu = std::make_shared<const GeneralFactors>(matrix);
      blocks_[b].neutral = !(own.lu->rcond() > smallest_rcond);
      if (blocks_[b].neutral)
        own.shortest = std::make_shared<const ShortestSolver>(matrix, smallest_rcond);
    } else {
      own.sparse_lu = std::make_shared<const SparseFactors>(size, entries);
      blocks_[b].neutral = !own.sparse_lu->ok();
      if (!blocks_[b].neutral) {
        // One solve shows whether the numbers can be trusted.
        const Eigen::VectorXd ones = Eigen::VectorXd::Ones(size);
        const Eigen::VectorXd x = own.sparse_lu->solve(ones);
        Eigen::VectorXd back = Eigen::VectorXd::Zero(size);
        for (const SparseEntry& e : entries) back[e.row] += e.value * x[e.column];
        blocks_[b].neutral = !((back - ones).lpNorm<Eigen::Infinity>() < 1e-4);
      }
    }
    regular &= !blocks_[b].neutral;
  }
  return regular;
}

// Inverse iteration.
double ReducedJacobian::rate(std::size_t block) const {
  const Matrices::Factors& own = m_->factors[block];
  if (blocks_[block].neutral) return 0;
  if (own.members.size() == 1) return std::fabs(m_->matrix.coeff(own.members[0], own.members[0]));
  Eigen::VectorXd v = own.column_scale;
  double longer = 0;
  for (int round = 0; round < 4; ++round) {
    v = own.solve(v, false);
    longer = v.cwiseQuotient(own.column_scale).lpNorm<Eigen::Infinity>();
    if (!(longer > 0) || !std::isfinite(longer)) return 0;
    v /= longer;
  }
  return 1 / longer;
}

void ReducedJacobian::hold(std::size_t block) { m_->factors[block].held = true; }

void ReducedJacobian::solve(std::span<const double> right, std::span<double> change) const {
  const Matrices& m = *m_;
  Eigen::VectorXd rest(m.size);
  for (Eigen::Index i = 0; i < m.size; ++i) rest[i] = right[rows_.kept[i]];
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Matrices::Factors& own = m.factors[b];
    Eigen::VectorXd part = rest(own.members);
    part = own.solve(part, blocks_[b].neutral);
    for (std::size_t j = 0; j < own.members.size(); ++j) {
      const double value = part[j];
      change[blocks_[b].states[j]] = value;
      for (Eigen::SparseMatrix<double>::InnerIterator it(m.matrix, own.members[j]); it; ++it)
        rest[it.row()] -= it.value() * value;
    }
  }
  rows_.complete(change);
}

void ReducedJacobian::remainder(std::span<const double> right, std::span<const double> change,
                                std::span<double> result) const {
  std::fill(result.begin(), result.end(), 0.0);
  for (int state : rows_.kept) result[state] = right[state];
  for (Eigen::Index j = 0; j < m_->size; ++j) {
    const double value = change[rows_.kept[j]];
    for (Eigen::SparseMatrix<double>::InnerIterator it(m_->matrix, j); it; ++it)
      result[rows_.kept[it.row()]] -= it.value() * value;
  }
}

void ReducedJacobian::mark_absent(std::span<const char> absent) {
  for (Block& block : blocks_)
    block.absent = std::all_of(block.states.begin(), block.states.end(),
                               [&](int state) { return absent[state]; });
}

// +1 or -1: the sign of det(-J). -1 means an odd number of growing modes.
int ReducedJacobian::sign(std::size_t block) const {
  const Matrices::Factors& own = m_->factors[block];
  int sign = own.members.size() % 2 ? -1 : 1;
  if (!own.dense) return own.sparse_lu->sign_of_determinant() > 0 ? sign : -sign;
  return sign * own.lu->sign_of_determinant();
}

bool ReducedJacobian::grows(int largest, const std::vector<double>& mass) const {
  constexpr double rounding = 1e-12;  // of the fastest rate of a block
  auto any = [](const std::vector<std::complex<double>>& values) {
    double fastest = 0, top = -INFINITY;
    for (auto& v : values) {
      fastest = std::max(fastest, std::abs(v));
      top = std::max(top, v.real());
    }
    return values.size() == 1 ? top > 0 : top > rounding * fastest;
  };
  if (!mass.empty()) {
    if (m_->size <= largest) return any(m_->eliminated(rows_, mass));
    return false;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].absent || m_->factors[b].held) continue;
    if (static_cast<int>(blocks_[b].states.size()) <= largest) {
      if (any(m_->eigenvalues(b))) return true;
    } else if (!blocks_[b].neutral && sign(b) < 0) {
      return true;
    }
  }
  return false;
}

std::vector<std::complex<double>> ReducedJacobian::eigenvalues(const double* jacobian,
                                                               const std::vector<double>& mass) {
  assemble(jacobian);
  std::vector<std::complex<double>> result;
  if (!mass.empty()) {
    result = m_->eliminated(rows_, mass);
  } else {
    find_blocks();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto own = m_->eigenvalues(b);
      result.insert(result.end(), own.begin(), own.end());
    }
  }
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  return result;
}

}  // namespace stiffit::internal
