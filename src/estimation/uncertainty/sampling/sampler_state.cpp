// A sampler as bytes and back.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimation/uncertainty/sampling/sampler.h"

namespace stiffit::internal {
namespace {

void put(RecordWriter& out, const auto& m) {
  out.numbers(std::vector<double>(m.data(), m.data() + m.size()));
}

void take(RecordReader& from, auto& m, Eigen::Index rows, Eigen::Index columns) {
  const std::vector<double> values = from.numbers();
  if (static_cast<Eigen::Index>(values.size()) != rows * columns)
    throw BadRecord("another problem's ensemble");
  m.resize(rows, columns);
  std::copy(values.begin(), values.end(), m.data());
}

void put_states(RecordWriter& out, const std::vector<std::vector<double>>& states) {
  out.whole(states.size());
  for (const std::vector<double>& x : states) out.numbers(x);
}

void take_states(RecordReader& from, std::vector<std::vector<double>>& states, std::size_t n) {
  states.resize(from.length(sizeof(double)));
  for (std::vector<double>& x : states) {
    x = from.numbers();
    if (x.size() != n) throw BadRecord("another problem's ensemble");
  }
}

}  // namespace

void Sampler::save(RecordWriter& out) const {
  for (long whole :
       {iteration_, kept_, evaluations_, failures_, round_, options_.warmup, options_.thin,
        static_cast<long>(walkers_.size()), static_cast<long>(levels_.size())})
    out.whole(whole);
  for (const Walker& w : walkers_) {
    out.numbers(w.x);
    out.number(w.u);
    const bool metric = w.drift.size() > 0;
    out.whole(metric);
    if (metric) put(out, w.drift), put(out, w.factor);
  }
  for (const Level& l : levels_) {
    put(out, l.covariance);
    put(out, l.mean);
    put(out, l.squares);
    put_states(out, l.archive);
    out.whole(l.mixture.parts().size());
    for (const MixturePart& p : l.mixture.parts())
      out.number(p.weight), put(out, p.mean), put(out, p.factor);
    out.whole(l.every);
    put_states(out, l.later);
    for (double x : {l.scale, l.seen, l.moved, l.tried, l.swapped, l.swap_tried}) out.number(x);
  }
}

void Sampler::restore(RecordReader& from) {
  const Eigen::Index n = width_.size();
  for (long* whole :
       {&iteration_, &kept_, &evaluations_, &failures_, &round_, &options_.warmup, &options_.thin})
    *whole = from.whole();
  const std::size_t walkers = from.whole();
  const std::size_t levels = from.whole();
  if ((walkers != size() && walkers != 0) || levels != levels_.size())
    throw BadRecord("another problem's ensemble");
  walkers_.resize(walkers);
  for (Walker& w : walkers_) {
    w.x = from.numbers();
    if (w.x.size() != n_) throw BadRecord("another problem's ensemble");
    w.u = from.number();
    if (from.whole() != 0) {
      take(from, w.drift, n, 1);
      take(from, w.factor, n, n);
    }
  }
  for (Level& l : levels_) {
    take(from, l.covariance, n, n);
    take(from, l.mean, n, 1);
    take(from, l.squares, n, n);
    take_states(from, l.archive, n_);
    std::vector<MixturePart> parts(from.length(sizeof(double)));
    for (MixturePart& p : parts) {
      p.weight = from.number();
      take(from, p.mean, n, 1);
      take(from, p.factor, n, n);
    }
    l.mixture = Mixture(std::move(parts));
    l.every = from.whole();
    if (l.every < 1) throw BadRecord("another problem's ensemble");
    take_states(from, l.later, n_);
    for (double* x : {&l.scale, &l.seen, &l.moved, &l.tried, &l.swapped, &l.swap_tried})
      *x = from.number();
    factorise(l);
  }
}

void Sampler::save_explorers(RecordWriter& out) const { put_states(out, scouted_); }

void Sampler::restore_scouts(RecordReader& from) { take_states(from, scouted_, n_); }

void Sampler::save_draws(RecordWriter& out, long first) const {
  out.whole(round_);
  out.whole(first);
  out.whole(kept_);
  for (std::size_t chain = 0; chain < draws_.size(); ++chain)
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(kept_); ++k) {
      out.numbers(draws_[chain][k]);
      out.number(potentials_[chain][k]);
    }
}

void Sampler::restore_draws(RecordReader& from) {
  const bool given_up = from.whole() != round_;
  const std::size_t first = from.whole();
  const std::size_t end = from.whole();
  if (first > end || (!given_up && !draws_.empty() && first > draws_.front().size()))
    throw BadRecord("draws are missing");
  for (std::size_t chain = 0; chain < draws_.size(); ++chain) {
    if (given_up) {
      for (std::size_t k = first; k < end; ++k) from.numbers(), from.number();
      continue;
    }
    draws_[chain].resize(first);
    potentials_[chain].resize(first);
    for (std::size_t k = first; k < end; ++k) {
      draws_[chain].push_back(from.numbers());
      potentials_[chain].push_back(from.number());
      if (draws_[chain].back().size() != n_) throw BadRecord("another problem's ensemble");
    }
    // Draws that were kept after the state are made again.
    draws_[chain].resize(std::min(draws_[chain].size(), static_cast<std::size_t>(kept_)));
    potentials_[chain].resize(draws_[chain].size());
  }
}

}  // namespace stiffit::internal
