# An enzyme in Python, cell by cell: `# %%` begins one in Jupyter (jupytext), VS Code and Spyder.
# As a plain script it checks itself: /usr/bin/python3 enzyme.py
# SPDX-License-Identifier: Apache-2.0

# %% A model, as a text
import pathlib

import numpy as np
import scipy.optimize

import stiffit

model = stiffit.load("""
species S = 1, E = 0.01, C = 0, P = 0
E + S <-> C; k1, k_1      // binding
C -> E + P; k2            // turnover
k1 = 1; k_1 = 1; k2 = 0.5
""")
model

# %% Its time course: numpy arrays, and a picture in a notebook
course = model.simulate(end=2000, points=200)
total = course["S"] + course["C"] + course["P"]
assert np.allclose(total, 1, atol=1e-6)  # nothing is lost
course

# %% What a slider does: other values again and again, without compiling
for enzyme in np.geomspace(0.005, 0.05, 10):
    again = model.simulate(end=2000, points=200, set={"E": enzyme})
    half = again.time[np.searchsorted(again["P"], 0.5)]
    print(f"E = {enzyme:.4f} mM: half of the substrate is gone after {half:.0f} s")
assert half < 100

# %% Is it stiff?
stiffness = model.stiffness(end=2000)
print(stiffness)
assert stiffness.verdict == "stiff"

# %% Three progress curves, and the rate constants that fit them
folder = pathlib.Path(globals().get("__file__", "examples/python/x")).parent.parent / "escep"
problem = stiffit.load(folder / "escep.rxn").problem(
    data=[folder / "low.csv", folder / "middle.csv", folder / "high.csv"],
    estimate={"k1": None, "k2": None, "off": 0},
    observe={"A405": "10*P + off"},
)
fit = problem.fit()
print(fit)
assert abs(fit["k1"] - 1.3) < 0.05 and abs(fit["k2"] - 0.42) < 0.01  # as the data were made
assert fit.parameters["k2"].low < 0.42 < fit.parameters["k2"].high
fit

# %% The same by scipy, with our gradient
objective = problem.objective()
start = problem.to_theta({"k1": 1, "k2": 0.5, "off": 0})
found = scipy.optimize.minimize(objective.value_and_gradient, start, jac=True,
                                bounds=objective.bounds, method="L-BFGS-B",
                                options={"ftol": 1e-14, "gtol": 1e-9})
print("scipy:", dict(zip(problem.names, problem.to_values(found.x))))
assert abs(found.fun - fit.objective) < 1e-5 * abs(fit.objective)

# %% How sure: a profile
profile = problem.profile("k2")["k2"]
print(profile)
assert profile.low < fit["k2"] < profile.high

# %% What uncertain constants mean for the curve: bands
ensemble = model.ensemble({"k2": f"normal({fit['k2']},{fit.parameters['k2'].standard_error})",
                        "E": "lognormal(0.01,0.1)"}, end=2000, samples=2000)
low, high = ensemble.quantile("P", 0.025), ensemble.quantile("P", 0.975)
assert np.all(low <= high) and np.max(high - low) > 0.05
ensemble
