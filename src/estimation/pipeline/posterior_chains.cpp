// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/posterior_chains.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "base/diagnostic.h"
#include "base/threads.h"
#include "estimation/objective/independent_parts.h"
#include "estimation/uncertainty/sampling/diagnostics.h"

namespace stiffit::internal {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds between{2};

// The best fit and other minima nearly as good.
std::vector<std::vector<double>> places_of(const Objective& objective, const FitSummary& fit) {
  constexpr double nearly = 15;  // units of the objective: a share of 3e-7 at equal widths
  std::vector<std::vector<double>> places{fit.best().fit.x};
  const double unit = value_unit(objective, fit.best().fit.at);
  for (const Minimum& minimum : fit.minima) {
    const LocalFit& own = fit.starts[minimum.result].fit;
    if (own.x != places.front() && own.at.value - fit.best().fit.at.value < nearly * unit)
      places.push_back(own.x);
  }
  return places;
}

std::vector<double> only(const std::vector<double>& x, const std::vector<std::size_t>& unknowns) {
  std::vector<double> own;
  for (std::size_t i : unknowns) own.push_back(x[i]);
  return own;
}

std::vector<std::vector<double>> only(const std::vector<std::vector<double>>& places,
                                      const std::vector<std::size_t>& unknowns) {
  std::vector<std::vector<double>> own;
  for (const std::vector<double>& x : places)
    if (std::vector<double> place = only(x, unknowns);
        std::find(own.begin(), own.end(), place) == own.end())
      own.push_back(std::move(place));
  return own;
}

Eigen::MatrixXd only(const Eigen::MatrixXd& m, const std::vector<std::size_t>& unknowns) {
  const std::vector<Eigen::Index> at(unknowns.begin(), unknowns.end());
  return m(at, at);
}

}  // namespace

// One group of unknowns, its chains, and what the folder has of them.
struct PosteriorChains::Part {
  std::vector<std::size_t> unknowns;
  std::unique_ptr<ProblemObjective> own;  // none: the whole problem
  std::unique_ptr<Sampler> sampler;
  RunDirectory* folder = nullptr;
  std::string name;                   // of its records
  std::mutex* folder_used = nullptr;  // by one thread at a time
  long draws_kept = 0, pieces = 0;
  bool scouts_kept = false;
  Clock::time_point next = Clock::now() + between;

  void restore();
  void keep();
  bool converged() const;
  // False: interrupted.
  bool draw(long samples, int rounds, const std::function<void(double share)>& progress);
};

void PosteriorChains::Part::restore() {
  if (!folder) return;
  try {
    for (const std::string& record : folder->get("sampler" + name)) {
      RecordReader reader(record);
      sampler->restore(reader);
      reader.finish();
    }
    for (const std::string& record : folder->get("draws" + name)) {
      RecordReader reader(record);
      sampler->restore_draws(reader);
      reader.finish();
      ++pieces;
    }
    for (const std::string& record : folder->get("scouts" + name)) {
      RecordReader reader(record);
      sampler->restore_scouts(reader);
      reader.finish();
    }
    if (sampler->kept() != static_cast<long>(sampler->draws().front().size()))
      throw BadRecord("draws are missing");
  } catch (const BadRecord& error) {
    throw InputError("error: the state of the run in " + folder->path() +
                     " is damaged: " + error.what());
  }
  draws_kept = sampler->kept();
  scouts_kept = !sampler->scouted_places().empty();
}

void PosteriorChains::Part::keep() {
  if (!folder) return;
  std::lock_guard lock(*folder_used);
  RecordWriter draws, state, explorers;
  if (!scouts_kept && !sampler->scouted_places().empty()) {
    sampler->save_explorers(explorers);
    folder->put("scouts" + name, 0, explorers.bytes());
    scouts_kept = true;
  }
  if (sampler->kept() > draws_kept) {
    sampler->save_draws(draws, draws_kept);
    folder->put("draws" + name, pieces++, draws.bytes());
    draws_kept = sampler->kept();
  }
  sampler->save(state);
  folder->put("sampler" + name, 0, state.bytes());
  next = Clock::now() + between;
}

bool PosteriorChains::Part::converged() const {
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (!stiffit::internal::converged(convergence(chains_of(sampler->draws(), i)), {}))
      return false;
  return true;
}

bool PosteriorChains::Part::draw(long samples, int rounds,
                                 const std::function<void(double share)>& progress) {
  for (;;) {
    const long all = sampler->iterations_for(samples);
    while (sampler->iteration() < all) {
      const bool went_on = sampler->advance();
      if (!went_on || Clock::now() > next) keep();
      if (!went_on) return false;
      progress(static_cast<double>(sampler->iteration()) / static_cast<double>(all));
    }
    keep();
    if (sampler->round() + 1 >= rounds || converged()) return true;
    sampler->begin_again();
    draws_kept = 0;
    keep();  // before the first draw of the new round
  }
}

PosteriorChains::PosteriorChains(const PosteriorObjectives& objectives, const FitSummary& fit,
                                 const SamplerOptions& options, RunDirectory* folder)
    : whole_(objectives.whole),
      threads_(options.threads),
      folder_used_(std::make_unique<std::mutex>()) {
  const LocalFit& best = fit.best().fit;
  std::vector<IndependentPart> found =
      independent_parts(whole_, best.at, best.x, options.seed, options.threads);
  if (found.empty()) {
    found.resize(1);
    for (std::size_t i = 0; i < best.x.size(); ++i) found[0].unknowns.push_back(i);
  }
  const auto places = places_of(objectives.fitted, fit);
  const Eigen::MatrixXd covariance = first_covariance(objectives.fitted, best.at);
  for (std::size_t k = 0; k < found.size(); ++k) {
    auto part = std::make_unique<Part>();
    part->unknowns = found[k].unknowns;
    SamplerOptions own = options;
    if (found.size() > 1) {
      part->own =
          std::make_unique<ProblemObjective>(std::move(found[k].problem), objectives.accuracy);
      own.seed = SplitMix(options.seed + 0xD1B54A32D192ED03u * k).next();  // draws of its own
      own.threads = 1;
    }
    part->sampler = std::make_unique<Sampler>(
        part->own ? static_cast<const Objective&>(*part->own) : objectives.spread,
        only(places, part->unknowns), only(covariance, part->unknowns), own);
    part->folder = folder;
    part->name = " " + std::to_string(k);
    part->folder_used = folder_used_.get();
    part->restore();
    parts_.push_back(std::move(part));
  }
  gather();
}

PosteriorChains::~PosteriorChains() = default;

bool PosteriorChains::draw(long samples, int rounds,
                           const std::function<void(double share)>& progress) {
  std::vector<double> shares(parts_.size(), 0);
  std::mutex mutex;
  std::vector<char> done(parts_.size(), 0);
  for_each_index(parts_.size(), threads_, [&](std::size_t k) {
    done[k] = parts_[k]->draw(samples, rounds, [&](double share) {
      std::lock_guard lock(mutex);
      shares[k] = share;
      double sum = 0;
      for (double own : shares) sum += own;
      if (progress) progress(sum / static_cast<double>(shares.size()));
    });
  });
  gather();
  return std::find(done.begin(), done.end(), 0) == done.end();
}

void PosteriorChains::gather() {
  long kept = parts_.front()->sampler->kept();
  for (auto& part : parts_) kept = std::min(kept, part->sampler->kept());
  const std::size_t count = kept;
  const std::size_t chains = parts_.front()->sampler->draws().size();
  draws_.assign(chains, {});
  potentials_.assign(chains, std::vector<double>(count, 0));
  for (std::size_t c = 0; c < chains; ++c) {
    draws_[c].assign(count, std::vector<double>(whole_.unknowns().size()));
    for (auto& part : parts_)
      for (std::size_t k = 0; k < count; ++k) {
        const std::vector<double>& own = part->sampler->draws()[c][k];
        for (std::size_t i = 0; i < own.size(); ++i) draws_[c][k][part->unknowns[i]] = own[i];
        potentials_[c][k] += part->sampler->potentials()[c][k];
      }
  }
}

double PosteriorChains::discrepancy() const {
  if (parts_.size() == 1 || draws_.front().empty()) return 0;
  constexpr std::size_t tried = 40;
  double most = 0;
  std::vector<std::vector<double>> points;
  std::vector<double> sums;
  for (std::size_t k = 0; k < tried; ++k) {
    const std::size_t c = k % draws_.size(), at = k * draws_[c].size() / tried;
    points.push_back(draws_[c][at]);
    sums.push_back(potentials_[c][at]);
  }
  const std::vector<Evaluation> values = whole_.values(points, threads_);
  for (std::size_t k = 0; k < tried; ++k) {
    const double off = std::fabs(potential(whole_, values[k]) - sums[k]);
    most = std::isfinite(off) ? std::max(most, off) : off;
  }
  return most;
}

const SamplerOptions& PosteriorChains::options() const {
  auto longest = std::max_element(parts_.begin(), parts_.end(), [](auto& a, auto& b) {
    return a->sampler->iteration() < b->sampler->iteration();
  });
  return (*longest)->sampler->options();
}

long PosteriorChains::evaluations() const {
  long sum = 0;
  for (auto& part : parts_) sum += part->sampler->evaluations();
  return sum;
}

long PosteriorChains::failures() const {
  long sum = 0;
  for (auto& part : parts_) sum += part->sampler->failures();
  return sum;
}

double PosteriorChains::acceptance() const {
  double sum = 0;
  for (auto& part : parts_) sum += part->sampler->acceptance();
  return sum / static_cast<double>(parts_.size());
}

std::vector<double> PosteriorChains::swaps() const {
  std::vector<double> mean, count;
  for (auto& part : parts_) {
    const std::vector<double> own = part->sampler->swaps();
    mean.resize(std::max(mean.size(), own.size()), 0);
    count.resize(mean.size(), 0);
    for (std::size_t k = 0; k < own.size(); ++k) mean[k] += own[k], count[k] += 1;
  }
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k] /= count[k];
  return mean;
}

std::vector<std::vector<double>> PosteriorChains::explored(
    std::size_t part, const std::vector<double>& others) const {
  std::vector<std::vector<double>> points;
  for (const std::vector<double>& own : parts_[part]->sampler->scouted_places()) {
    points.push_back(others);
    for (std::size_t i = 0; i < own.size(); ++i) points.back()[parts_[part]->unknowns[i]] = own[i];
  }
  return points;
}

std::vector<std::vector<std::size_t>> PosteriorChains::groups() const {
  std::vector<std::vector<std::size_t>> result;
  for (auto& part : parts_) result.push_back(part->unknowns);
  return result;
}

}  // namespace stiffit::internal
