// Draws from the distribution of the estimated parameters given the data, exp(-U(theta)) within the
// bounds, by several chains at once. Proposals are adapted during the warm-up and held afterwards,
// so that what is kept comes from one Markov chain. All draws depend on the seed and the iteration
// alone. adaptive: H. Haario, E. Saksman, J. Tamminen, Bernoulli 7 (2001). tempered: the same at
// several temperatures that exchange their states, C. Geyer (1991). Both also step along
// differences of states of the warm-up, in some of the unknowns: C. ter Braak, J. Vrugt, Stat.
// Comput. 18 (2008); and, if they are few, draw all unknowns anew from what the warm-up has learnt
// (mixture.h). langevin: proposals along the gradient in the metric of the Fisher information, M.
// Girolami, B. Calderhead, J. R. Stat. Soc. B 73 (2011). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/splitmix.h"
#include "estimation/optimizers/objective.h"
#include "estimation/uncertainty/sampling/mixture.h"

namespace stiffit::internal {

enum class SamplerKind { adaptive, tempered, langevin };

struct SamplerOptions {
  SamplerKind kind = SamplerKind::adaptive;
  int chains = 8;
  // Levels that exchange their states. tempered: as asked for; adaptive: one warmer level beside
  // chains of few unknowns (1: none); 0: as is best.
  int temperatures = 0;
  long warmup = 0;  // iterations; 0: by the number of unknowns
  long thin = 0;    // iterations between draws that are kept; 0: by the number of unknowns
  std::uint64_t seed = 1;
  int threads = 1;
  const std::atomic<bool>* interrupt = nullptr;
};

// U: minus the logarithm of the posterior density up to a constant. With noise of unknown size
// that size is integrated out (its logarithm uniform), which leaves N/2 ln(sum of squares).
double potential(const Objective& objective, const Evaluation& e);

class Sampler {
 public:
  // `best`: where the chains begin around, `covariance`: a first guess of theirs, [i][j]. Further
  // `places` are other minima that some of the chains begin at.
  Sampler(const Objective& objective, std::vector<std::vector<double>> places,
          const Eigen::MatrixXd& covariance, SamplerOptions options);
  const SamplerOptions& options() const { return options_; }

  // A few iterations; false: interrupted, and nothing has happened. Throws InputError if no place
  // to begin can be evaluated.
  bool advance();
  long iteration() const { return iteration_; }
  bool warm() const { return iteration_ >= options_.warmup; }
  long iterations_for(long samples) const;  // in all, to keep so many draws
  long kept() const { return kept_; }       // of one chain

  // All so far becomes warm-up: the draws are given up, after the proposals have learnt from them,
  // and further ones are kept at twice the distance.
  void begin_again();
  long round() const { return round_; }  // how often that was done

  // [chain][draw][unknown] and U of each.
  const std::vector<std::vector<std::vector<double>>>& draws() const { return draws_; }
  const std::vector<std::vector<double>>& potentials() const { return potentials_; }
  // Where exploratory chains of the warm-up ended, low enough to have weight and far from each
  // other; may be empty.
  const std::vector<std::vector<double>>& scouted_places() const { return scouted_; }
  double acceptance() const;          // of the cold chains after the warm-up
  std::vector<double> swaps() const;  // between neighbouring temperatures
  const std::vector<double>& coldness() const { return coldness_; }
  long evaluations() const { return evaluations_; }
  long failures() const { return failures_; }

  // What has been done, without the draws; and draws from number `first` of each chain on.
  void save(RecordWriter& out) const;
  void restore(RecordReader& from);
  void save_draws(RecordWriter& out, long first) const;
  void restore_draws(RecordReader& from);
  void save_explorers(RecordWriter& out) const;
  void restore_scouts(RecordReader& from);

 private:
  static constexpr std::size_t few_unknowns =
      10;  // in more, draws from mixtures are hardly accepted
  static constexpr std::size_t archive_size = 200;  // of each chain

  struct Walker {
    std::vector<double> x;
    double u = 0;
    // Of Langevin proposals at x.
    Eigen::VectorXd drift;
    Eigen::MatrixXd factor;  // L of the metric L L^T
  };
  struct Level {  // one temperature
    Eigen::MatrixXd covariance, factor;
    double scale = 1;
    double seen = 0;  // draws that the running moments below are of
    Eigen::VectorXd mean;
    Eigen::MatrixXd squares;
    std::vector<std::vector<double>> archive;  // states of the warm-up, for differences
    Mixture mixture;  // made of the archive and of the next level's; empty: too many unknowns
    std::vector<std::vector<double>> later;  // states after the warm-up, for another round
    long every = 1;                          // kept draws between those
    double moved = 0, tried = 0;             // after the warm-up
    double swapped = 0, swap_tried = 0;
  };

  std::size_t size() const { return static_cast<std::size_t>(options_.chains) * coldness_.size(); }
  Walker& walker(std::size_t level, std::size_t chain) {
    return walkers_[level * static_cast<std::size_t>(options_.chains) + chain];
  }
  void begin();
  void explore();
  std::vector<Walker> first_explorers();
  // Empty: outside of the bounds.
  std::vector<double> explored(const std::vector<Walker>& explorers, std::size_t explore,
                               double coldness, SplitMix& random) const;
  std::vector<Walker> most_distant(const std::vector<Walker>& explorers, double coldness) const;
  double value_of(const Evaluation& e);  // U, infinite where there is none
  struct Step {
    bool usual = false;       // the kind that the scale is adapted by
    double log_way_back = 0;  // log of how likely the way back is, beside this way
  };
  SplitMix stream_of(std::uint64_t iteration, std::uint64_t purpose) const;
  // An empty point: rejected.
  Step propose(std::size_t walker, SplitMix& random, std::vector<double>& point) const;
  // All unknowns anew, wherever they are; or, `local`, a step as long and wide as the cloud is
  // hereabouts.
  Step propose_anew(const Mixture& mixture, SplitMix& random, const Eigen::VectorXd& normals,
                    bool local, std::vector<double>& point) const;
  void difference(const Level& level, SplitMix& random, Eigen::VectorXd& z) const;
  void random_walk(std::uint64_t iteration);
  void langevin(std::uint64_t iteration);
  void exchange(std::uint64_t iteration);
  void adapt(std::size_t level, double accepted, double tried);
  void note_moments(Level& level, const std::vector<double>& draw) const;
  void take_moments(Level& level, double draws_for_one);
  void note_archive(std::size_t level);
  void learn_from_draws(Level& cold) const;
  Mixture fit_mixture(std::size_t level) const;
  void fit_mixtures();
  void bring_back_strays();
  void keep();
  void keep_warmer();
  void set_metric(Walker& w, const Evaluation& e) const;
  void factorise(Level& level) const;

  const Objective& objective_;
  SamplerOptions options_;
  std::vector<std::vector<double>> places_;
  std::size_t n_;
  Eigen::VectorXd width_;         // between the bounds
  std::vector<double> coldness_;  // inverse temperatures, 1 first
  std::vector<Level> levels_;
  std::vector<Walker> walkers_;
  std::vector<std::vector<double>> scouted_;
  long iteration_ = 0, kept_ = 0, round_ = 0, evaluations_ = 0, failures_ = 0;
  bool stopped_ = false;
  std::vector<std::vector<std::vector<double>>> draws_;
  std::vector<std::vector<double>> potentials_;
};

// A first covariance from the Fisher information: its inverse, where nothing is wider than the
// bounds allow.
Eigen::MatrixXd first_covariance(const Objective& objective, const Evaluation& at);

}  // namespace stiffit::internal
