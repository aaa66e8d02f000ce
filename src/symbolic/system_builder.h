// Turns names of a model into nodes of a graph; see system.h for what comes out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "symbolic/partial_values.h"
#include "symbolic/system.h"

namespace stiffit::internal {

class SystemBuilder {
 public:
  // States that are at times without a value: from the start until an event gives them one, or
  // because an event may give them NaN.
  struct Undefined {
    Ref ref;
    bool at_start = false;
  };
  SystemBuilder(std::shared_ptr<const Model> model, const SystemOptions& options, System& system,
                const std::vector<Undefined>& undefined = {});
  void build();

  // When a symbol is meant: along the trajectory, at its start, or before it (for delays: as at the
  // start, but with the time running).
  enum class Moment { now, start, past };
  NodeId value(Ref ref, Moment moment = Moment::now);
  NodeId concentration(int species);
  NodeId amount(int species);
  NodeId derivative(Ref ref);  // d/dt along the solution
  // `arguments` of the function whose body this is, at `moment` and now.
  struct Arguments {
    std::vector<NodeId> values, now;
  };
  NodeId convert(ExprId root, Moment moment, const Arguments* arguments = nullptr);

  const Model& model() const { return *model_; }
  // Its rate is undefined at the start: what is shown there is `limit`.
  void begin_reaction(int index, double limit) {
    NodeId& node = reaction_now_[index];
    node = law_after(system_->graph, system_->start_time, limit, node);
  }
  // The graph moves when the System is moved.
  void attach(System& system) { system_ = &system; }

 private:
  // How a thing of the model gets its value.
  enum class Role : std::uint8_t { constant, assigned, state };
  struct Place {
    Role role = Role::constant;
    int rule = -1;     // index into model.rules
    int initial = -1;  // index into model.initial_assignments
    int state = -1;
    bool algebraic = false;  // a state that an algebraic rule determines
    bool fast = false;       // a species that fast reactions change
    bool undefined = false;  // a state that is at times without a value
    bool unset = false;      // and is so at the start
    int set_flag = -1;       // the state that is 1 while it has one
    int parameter = -1;      // of the system, made when first needed
    NodeId now = none, start = none, past = none;
    bool busy = false;  // being resolved: meeting it again is a cycle
  };
  static constexpr NodeId none = ~NodeId{0};

  Place& place(Ref ref);
  void classify();
  void match_algebraic_rules();
  void collect_unknowns(ExprId expression, std::vector<Ref>& found, std::vector<char>& seen_rules);
  void add_states();
  void add_equations();
  void add_leaves();
  void add_reaction_terms();
  // Of fast reactions: an entry of their stoichiometry and its value at the start.
  struct FastEntry {
    NodeId node;
    double value = 0;
  };
  using FastRows = std::vector<std::vector<FastEntry>>;
  void find_equilibria();
  std::vector<int> fast_species() const;
  FastRows fast_stoichiometry(const std::vector<int>& species);
  void make_total(std::size_t column, const std::vector<int>& species, const FastRows& rows,
                  const std::vector<std::size_t>& pivots);
  NodeId stoichiometry(const SpeciesReference& reference, bool product);
  void spread_to_totals(std::vector<std::pair<int, NodeId>>& net);
  void add_drift_of_totals();
  void add_residuals();
  NodeId state_start(int state);
  NodeId own_start(int state);
  NodeId amount_behind(int state);
  NodeId at_start(NodeId node);
  void add_events_and_modes();
  void add_set_flags();
  int set_flag(std::size_t state);  // -1: it has a value from the start
  void stop_undefined(DiscontinuityLowering& lowering);
  NodeId rate(int index);
  NodeId slope(int state);
  NodeId leaf_parameter(Ref ref, double value);
  NodeId start_value(Ref ref, Place& place, Moment moment);
  NodeId now_value(Ref ref, Place& place);
  NodeId state_symbol(Ref ref, const Place& place);
  bool compartment_varies(int compartment);
  NodeId size_of(int compartment, Moment moment);
  NodeId power(NodeId base, NodeId exponent);
  NodeId delayed(NodeId now, NodeId lag, ExprId expression);
  NodeId earlier(NodeId past, NodeId lag);
  NodeId with_past(ExprId expression, NodeId now);
  NodeId call(const ExprNode& node, const Arguments& arguments, Moment moment);
  NodeId total_derivative(NodeId node);
  [[noreturn]] void fail(Span span, const std::string& message, const std::string& hint = {}) const;

  std::shared_ptr<const Model> model_;
  SystemOptions options_;
  System* system_;
  std::vector<Place> species_, parameters_, compartments_;
  std::vector<NodeId> reaction_now_, reaction_start_, observable_now_, observable_start_;
  std::vector<char> reaction_busy_;
  std::vector<int> rate_rules_;                 // indices into model.rules
  std::vector<std::pair<int, Ref>> algebraic_;  // rule and the unknown it determines
  // Of fast reactions: the amount of species `state` is its total plus `factor` times each of
  // these.
  struct Share {
    int equilibrium;
    NodeId factor;
  };
  std::vector<std::pair<int, std::vector<Share>>> totals_;  // state, shares
  std::vector<NodeId> extra_rates_;                         // numbered after those of rules
  bool finding_equilibria_ = false;
  bool functions_see_rates_ = false;  // a function body holds rateOf
  std::vector<NodeId> memo_now_, memo_start_, memo_past_;
  // Calls by function, moment, whether through a delay, and arguments.
  using CallKey = std::tuple<std::int32_t, Moment, bool, std::vector<NodeId>, std::vector<NodeId>>;
  std::map<CallKey, NodeId> calls_;
  int call_depth_ = 0, rate_depth_ = 0;
  int delay_depth_ = 0;  // > 0: inside a delayed expression
};

}  // namespace stiffit::internal
