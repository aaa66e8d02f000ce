# SPDX-License-Identifier: Apache-2.0
"""Fits, profiles, ensembles and objectives from Python, beside the program's and scipy's."""

import inspect
import json
import os
import re
import subprocess
import tempfile
import threading
import unittest
import warnings

import numpy as np
import pandas
import scipy.optimize
import scipy.stats

import stiffit

EXAMPLE = os.path.join(os.environ["STIFFIT_SOURCE"], "examples", "escep")
FILES = [os.path.join(EXAMPLE, name) for name in ("low.csv", "middle.csv", "high.csv")]
OBSERVE = "A405 = 10*P + off"
ESTIMATE = "k1,k2,off=0"


def enzyme():
    return stiffit.load(os.path.join(EXAMPLE, "escep.rxn")).problem(FILES, ESTIMATE, OBSERVE)


def program(*words):
    data = [word for file in FILES for word in ("--data", file)]
    run = subprocess.run([os.environ["STIFFIT"], words[0], os.path.join(EXAMPLE, "escep.rxn"),
                          *data, "--estimate", ESTIMATE, "--observe", OBSERVE, "--json",
                          *words[1:]], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


class Noise(unittest.TestCase):
    TIME = np.arange(12.0)
    VALUES = np.array([3.01, 2.31, 1.79, 1.52, 1.08, 0.93, 0.64, 0.57, 0.402, 0.331, 0.24, 0.199])

    def problem(self, values=None, **options):
        table = {"time": self.TIME, "A": self.VALUES if values is None else values}
        return stiffit.load("A -> B; k*A\nA = 2; B = 0; k = 0.3\n").problem(table, "k,A", **options)

    def test_a_share_of_the_signal(self):
        fit = self.problem(noise={"A": "s*A"}).fit()

        def cost(p):
            h = p[1] * np.exp(-p[0] * self.TIME)
            return np.sum(np.log(abs(p[2]) * h) + 0.5 * ((self.VALUES - h) / (p[2] * h)) ** 2)

        best = scipy.optimize.minimize(cost, [0.25, 3, 0.05], method="Nelder-Mead",
                                       options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000})
        np.testing.assert_allclose([fit["k"], fit["A(0)"], fit["s"]], best.x, rtol=1e-4)
        self.assertEqual([p.id for p in fit.parameters.values() if p.noise], ["s"])

    def test_limits(self):
        cells = [v if v > 0.5 else "<0.5" for v in self.VALUES]
        fit = self.problem(cells).fit()

        def cost(p):
            h = p[1] * np.exp(-p[0] * self.TIME)
            s = abs(p[2])
            return -np.sum(np.where(self.VALUES > 0.5,
                                    scipy.stats.norm.logpdf(self.VALUES, h, s),
                                    scipy.stats.norm.logcdf((0.5 - h) / s)))

        best = scipy.optimize.minimize(cost, [0.25, 3, 0.05], method="Nelder-Mead",
                                       options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000})
        np.testing.assert_allclose([fit["k"], fit["A(0)"], fit["sd"]], best.x, rtol=1e-4)
        self.assertEqual(list(fit.data["limit"]),
                         ["" if v > 0.5 else "below" for v in self.VALUES])

    def test_outliers_and_relative_errors(self):
        values = self.VALUES.copy()
        values[3] += 2
        robust = self.problem(values, noise_distribution="student-t:2").fit()
        self.assertAlmostEqual(robust["k"], self.problem().fit()["k"], delta=0.01)
        table = {"time": self.TIME, "A": self.VALUES, "sd(A)": 0.5 + 0 * self.TIME}
        model = stiffit.load("A -> B; k*A\nA = 2; B = 0; k = 0.3\n")
        relative = model.problem(table, "k,A", weights="relative").fit()
        plain = self.problem().fit()
        self.assertAlmostEqual(relative.parameters["k"].low, plain.parameters["k"].low, delta=1e-6)
        with self.assertRaises(stiffit.InputError):
            self.problem(noise="C = s")

    def test_bootstrap(self):
        fit = self.problem().fit(bootstrap=200, seed=3)
        self.assertEqual(fit.parameters["k"].limits_by, "bootstrap")
        self.assertEqual(fit.bootstrap["used"], 200)
        self.assertEqual(fit.bootstrap["parameters"][0]["limits"],
                         [fit.parameters["k"].low, fit.parameters["k"].high])
        self.assertIsNone(self.problem().fit().bootstrap)


class Fitting(unittest.TestCase):
    def test_derived_quantities_and_combinations(self):
        model = stiffit.load(os.path.join(EXAMPLE, "escep.rxn"))
        problem = model.problem(FILES, "k1,k_1,k2,off=0", OBSERVE)
        fit = problem.fit(derive=["Km = (k_1+k2)/k1", "twice = 2*k2"])
        km = fit.derived["Km"]
        self.assertEqual(km["formula"], "(k_1+k2)/k1")
        self.assertAlmostEqual(km["value"], (fit["k_1"] + fit["k2"])/fit["k1"])
        self.assertLess(km["low"], km["value"])
        self.assertGreater(km["high"], km["value"])
        self.assertIn(km["determination"], ("determined", "roughly-determined"))
        self.assertAlmostEqual(fit.derived["twice"]["value"], 2*fit["k2"])
        for one in fit.combinations:
            self.assertLessEqual(one["low"], one["value"])
            self.assertGreaterEqual(one["high"], one["value"])
        profiles = problem.profile(parameters=["k2"], derive=["twice = 2*k2"])
        self.assertAlmostEqual(profiles.derived["twice"]["high"]/(2*profiles["k2"].high), 1, 2)
        with self.assertRaises(Exception) as raised:
            problem.fit(derive=["Km = (k_1+k3)/k1"])
        self.assertIn("k3", str(raised.exception))

    def test_the_same_as_the_program(self):
        for starts, seed in ((1, 1), (6, 5)):
            fit = enzyme().fit(starts=starts, seed=seed)
            document = program("fit", "--starts", str(starts), "--seed", str(seed))
            self.assertEqual(fit.to_dict(), document)
            self.assertEqual(fit.estimates,
                             {p["id"]: p["estimate"] for p in document["parameters"]})
            self.assertEqual(fit.objective, document["objective"])
            self.assertEqual([s["objective"] for s in fit.starts], document["waterfall"])
        self.assertAlmostEqual(fit["k1"], 1.3, delta=0.05)
        self.assertAlmostEqual(fit.parameters["k2"].estimate, 0.42, delta=0.01)

    def test_tables_from_memory(self):
        tables = []
        for file in FILES:
            frame = pandas.read_csv(file, comment="#")
            with open(file, encoding="utf-8") as lines:
                substrate = float(next(lines).split("=")[1])
            tables.append(stiffit.Table(frame, os.path.basename(file), {"S": substrate}))
        model = stiffit.load(os.path.join(EXAMPLE, "escep.rxn"))
        fit = model.problem(tables, {"k1": None, "k2": (0.5, 0.01, 10), "off": 0},
                            {"A405": "10*P + off"}).fit()
        other = model.problem(FILES, ["k1", "k2=0.5:0.01:10", "off=0"], [OBSERVE]).fit()
        self.assertEqual(fit.estimates, other.estimates)
        one = model.problem({"time": [0, 100.0, 200, 400], "P": [0, 0.18, np.nan, 0.61]}, "k2")
        self.assertEqual(one.fit().n_data, 3)

    def test_what_it_shows(self):
        fit = enzyme().fit()
        self.assertEqual(list(fit.frame()["id"]), ["k1", "k2", "off"])
        self.assertEqual(fit.correlation.shape, (3, 3))
        self.assertEqual(len(fit.data["time"]), fit.n_data)
        self.assertEqual(len(fit.data.frame()), fit.n_data)
        self.assertIn("k1", str(fit))
        self.assertIn("<svg", fit._repr_html_())
        self.assertEqual(fit.status, "done")

    def test_folders_and_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            run, report = os.path.join(folder, "run"), os.path.join(folder, "fit.html")
            fit = enzyme().fit(starts=2, folder=run, report=report)
            with open(os.path.join(run, "result.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), fit.to_dict())
            with open(report, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())
            again = enzyme().fit(starts=2, folder=run, resume=True)
            self.assertEqual(again.estimates, fit.estimates)

    def test_mistakes(self):
        model = stiffit.load("escep")
        for wrong in (lambda: model.problem([], "k1"),
                      lambda: model.problem("nowhere.csv", "k1"),
                      lambda: model.problem({"time": [0, 1], "P": [0, 1]}, "k9"),
                      lambda: model.problem({"time": [0, 1], "P": [0]}, "k1"),
                      lambda: enzyme().fit("nothing"),
                      lambda: enzyme().fit(nothing=1),
                      lambda: enzyme().profile("nothing")):
            with self.assertRaises(stiffit.InputError):
                wrong()

    def test_petab(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)

            subprocess.run([os.environ["STIFFIT"], "convert", "escep", "-o",
                            os.path.join(folder, "model.xml")], check=True)
            write("conditions.tsv", "conditionId\nc\n")
            write("observables.tsv", "observableId\tobservableFormula\tnoiseFormula\np\tP\t0.01\n")
            write("parameters.tsv", "parameterId\tparameterScale\tlowerBound\tupperBound\t"
                  "nominalValue\testimate\nk2\tlog10\t0.001\t100\t0.4\t1\n")
            write("measurements.tsv", "observableId\tsimulationConditionId\tmeasurement\ttime\n" +
                  "".join(f"p\tc\t{y}\t{t}\n" for t, y in ((100, 0.2), (300, 0.5), (700, 0.86))))
            write("problem.yaml", "format_version: 1\nparameter_file: parameters.tsv\nproblems:\n"
                  "- sbml_files: [model.xml]\n  condition_files: [conditions.tsv]\n"
                  "  measurement_files: [measurements.tsv]\n  observable_files: [observables.tsv]\n")
            problem = stiffit.load(os.path.join(folder, "problem.yaml"))
            self.assertIsInstance(problem, stiffit.Problem)
            self.assertEqual(problem.scales, ["log10"])
            self.assertAlmostEqual(problem.start[0], np.log10(0.4))
            value, gradient = problem.objective().value_and_gradient(problem.start)
            self.assertEqual(gradient.shape, (1,))
            self.assertLess(problem.fit().objective, value)


class Objectives(unittest.TestCase):
    def test_scipy_minimises_it(self):
        problem = enzyme()
        f = problem.objective()
        x0 = problem.to_theta({"k1": 1, "k2": 0.5, "off": 0})
        found = scipy.optimize.minimize(f.value_and_gradient, x0, jac=True, bounds=f.bounds,
                                        method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9})
        fit = problem.fit()
        self.assertAlmostEqual(found.fun, fit.objective, delta=1e-6 * abs(fit.objective))
        np.testing.assert_allclose(problem.to_values(found.x), list(fit.estimates.values()),
                                   rtol=1e-3)
        squares = scipy.optimize.least_squares(f.residuals, x0, jac=f.jacobian,
                                               bounds=(f.lower, f.upper), x_scale="jac")
        np.testing.assert_allclose(problem.to_values(squares.x), list(fit.estimates.values()),
                                   rtol=1e-3)

    def test_derivatives(self):
        problem = enzyme()
        x = problem.to_theta([1.2, 0.4, 0.1])
        f = problem.objective()
        value, gradient = f.value_and_gradient(x)
        self.assertEqual(value, f.evaluate(x).value)
        self.assertAlmostEqual(f(x), value, delta=1e-6 * value)
        np.testing.assert_allclose(gradient, scipy.optimize.approx_fprime(x, f, 1e-6), rtol=1e-3)
        np.testing.assert_allclose(f.jacobian(x).T @ f.residuals(x), gradient, rtol=1e-4)
        np.testing.assert_allclose(f.jacobian(x).T @ f.jacobian(x), f.fisher(x), rtol=1e-6)
        adjoint = problem.objective(gradient="adjoint").gradient(x)
        np.testing.assert_allclose(adjoint, gradient, rtol=1e-4)
        np.testing.assert_allclose(f.values([x, x]), [value, value], rtol=1e-6)
        self.assertEqual(len(f.data(x)["simulation"]), f.n_data)

    def test_evaluates_as_the_program_does(self):
        problem = enzyme()
        point = {"k1": 1.2, "k2": 0.4, "off": 0.1}
        words = ("evaluate", "--at", "k1=1.2,k2=0.4,off=0.1")
        at = problem.evaluate(point, gradient=True, hessian=True)
        document = program(*words, "--gradient", "--hessian")
        for name in ("objective", "llh", "chi2", "n_data"):
            self.assertEqual(getattr(at, name), document[name])
        self.assertEqual(dict(zip(at.names, at.gradient)), document["gradient"])
        self.assertEqual(at.fisher.tolist(), document["hessian"])
        self.assertEqual(at.rtol, document["gradient_rtol"])
        np.testing.assert_allclose(problem.to_values(at.theta), list(point.values()))
        plain = problem.evaluate("k1=1.2,k2=0.4,off=0.1")
        self.assertIsNone(plain.gradient)
        self.assertEqual((plain.check, plain.passed), ([], False))
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "simulations.tsv")
            program(*words, "--simulations", table)
            with open(table, encoding="utf-8") as file:
                self.assertEqual(problem.evaluate(point, simulations=True).simulations, file.read())

    def test_keywords_of_evaluate_are_those_of_the_program(self):
        help_text = subprocess.run([os.environ["STIFFIT"], "evaluate", "--help"], check=True,
                                   capture_output=True, text=True).stdout
        names = list(inspect.signature(stiffit.Problem.evaluate).parameters)
        for name in ("at", "gradient", "hessian", "check", "rtol", "sensitivities", "seed"):
            self.assertIn(name, names)
        for name in set(names) - {"self", "settle"}:
            self.assertIn("--" + name.replace("_", "-") + " ", help_text)

    def test_checks_its_gradient(self):
        checked = enzyme().evaluate({"k1": 1.2, "k2": 0.4, "off": 0.1}, check=True)
        self.assertTrue(checked.passed)
        self.assertEqual([m.method for m in checked.check], ["forward", "adjoint"])
        for method in checked.check:
            self.assertEqual([e.parameter for e in method.entries], ["k1", "k2", "off"])
            for entry in method.entries:
                self.assertEqual(entry.verdict, "right")
                self.assertAlmostEqual(entry.gradient, entry.difference,
                                       delta=1e-3 * abs(entry.difference))
        self.assertLess(checked.forward_against_adjoint, 1e-3)

    def test_points_that_it_refuses(self):
        with self.assertRaisesRegex(stiffit.InputError, "k9"):
            enzyme().evaluate({"k9": 1})
        with self.assertRaisesRegex(stiffit.InputError, "did you mean 'gradient'"):
            enzyme().evaluate(gradiant=True)
        problem = stiffit.load("X = 1\nX' = k*X^2\nk = 0.1\n").problem(
            {"time": [0.0, 1, 2], "X": [1, 1.1, 1.3]}, "k=0.1:0.001:100")
        with self.assertRaises(stiffit.NumericsError) as raised:
            problem.evaluate({"k": 10})
        self.assertNotEqual(raised.exception.result.failure, "")

    def test_the_shape_that_pypesto_calls(self):
        # pypesto.Objective(fun=f.value_and_gradient, grad=True, hess=f.fisher, x_names=f.names)
        f = enzyme().objective()
        x = np.array([0.1, -0.9, 0.0])
        value, gradient = f.value_and_gradient(x)
        self.assertIsInstance(value, float)
        self.assertEqual((gradient.shape, gradient.dtype), ((3,), np.float64))
        self.assertEqual(f.fisher(x).shape, (3, 3))
        self.assertEqual(f.names, ["k1", "k2", "off"])
        self.assertEqual((f.lower.shape, f.upper.shape), ((3,), (3,)))

    def test_points_that_cannot_be_integrated(self):
        f = stiffit.load("X = 1\nX' = k*X^2\nk = 0.1\n").problem(
            {"time": [0.0, 1, 2], "X": [1, 1.1, 1.3]}, "k=0.1:0.001:100").objective()
        bad = [np.log(10.0)] if f.scales == ["log"] else [1.0]
        value, gradient = f.value_and_gradient(bad)
        self.assertEqual(value, np.inf)
        self.assertTrue(np.isnan(gradient).all())
        self.assertTrue(np.isnan(f.residuals(bad)).all())
        self.assertNotEqual(f.evaluate(bad).failure, "")
        self.assertEqual(f.values([bad])[0], np.inf)
        with self.assertRaises(stiffit.InputError):
            f([1.0, 2.0])

    def test_threads_at_once(self):
        f = enzyme().objective()
        x = [0.1, -0.9, 0.0]
        expected = f.value_and_gradient(x)
        wrong = []

        def work():
            for _ in range(10):
                value, gradient = f.value_and_gradient(x)
                if value != expected[0] or not np.array_equal(gradient, expected[1]):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Uncertainty(unittest.TestCase):
    def test_keywords_are_those_of_the_program(self):
        for method in (stiffit.Problem.fit, stiffit.Problem.profile, stiffit.Problem.ensemble):
            names = list(inspect.signature(method).parameters)
            for name in ("method", "starts", "max_steps", "seed", "threads", "folder", "progress"):
                self.assertIn(name, names)
                self.assertIn(name + ":", method.__doc__)
            command = {stiffit.Problem.fit: "fit", stiffit.Problem.profile: "profile",
                       stiffit.Problem.ensemble: "ensemble"}[method]
            help_text = subprocess.run([os.environ["STIFFIT"], command, "--help"], check=True,
                                       capture_output=True, text=True).stdout
            for name in set(names) - {"self", "folder", "progress"}:
                self.assertIn("--" + name.replace("_", "-") + " ", help_text)
        for wrong, words in ((dict(sampling="x"), "sampling is latin, sobol or uniform, not 'x'"),
                             (dict(max_step=-1), "max-step needs a number above zero, not '-1'"),
                             (dict(parents=3), "parents is for populations"),
                             (dict(startz=3), "did you mean 'starts'?"),
                             (dict(progress_file="x"), "unknown option"),
                             (dict(max_steps=float("nan")), "max-steps needs a whole number")):
            with self.assertRaisesRegex(stiffit.InputError, re.escape(words)):
                enzyme().fit(**wrong)
        fit = enzyme().fit("trust-region", advice=False, nonnegative=False, weight=[], rtol=1e-9)
        self.assertEqual(json.loads(fit.json)["settings"]["rtol"], "1e-09")
        self.assertNotIn("one more measurement", " ".join(fit.words))

    def test_advice_is_for_what_is_of_interest(self):
        fit = enzyme().fit(interest=["k2"])
        self.assertTrue(fit.next_measurements)
        for design in fit.next_measurements:
            self.assertEqual(design["n"], len(design["measurements"]))
            self.assertEqual([p["id"] for p in design["parameters"]], ["k2"])
            self.assertGreater(design["factor"], 1)
            self.assertTrue(all(m["measured"] for m in design["measurements"]))
            self.assertIn("  " + design["words"], fit.words)
        with self.assertRaisesRegex(stiffit.InputError, "no species or observable 'nothing'"):
            enzyme().fit(measurable=["nothing"])

    def test_predictions_pairs_and_the_level_of_limits(self):
        asked = {"predict": ["P at 300 in high", "A405 at 50 in low"], "pairs": ["k1:k2"],
                 "level": 0.8}
        profiles = enzyme().profile("k2", **asked)
        document = program("profile", "--parameters", "k2", "--predict", "P at 300 in high",
                           "--predict", "A405 at 50 in low", "--pairs", "k1:k2", "--level", "0.8")
        self.assertEqual(json.loads(profiles.json), document)
        self.assertEqual(profiles.level, 0.8)
        for value, written in zip(profiles.predictions, document["predictions"]):
            self.assertEqual([value.low, value.high], written["limits"])
            self.assertTrue(value.low < value.estimate < value.high)
            self.assertGreaterEqual(len(value.values), 19)
        pair = profiles.pairs[0]
        self.assertTrue(pair.closed, pair.message)
        self.assertEqual((pair.first, pair.second), ("k1", "k2"))
        self.assertTrue(np.allclose(pair.ratio, pair.threshold, rtol=0.02))
        self.assertEqual(profiles["k2"].intervals, [(profiles["k2"].low, profiles["k2"].high)])
        fit = enzyme().fit(level=0.8, starts=1)
        self.assertEqual(fit.level, 0.8)
        self.assertLess(fit.parameters["k2"].high, enzyme().fit(starts=1).parameters["k2"].high)
        self.assertIn("80 % low", str(fit))
        with self.assertRaises(stiffit.InputError):
            enzyme().fit(level=95)

    def test_profiles(self):
        shares = []
        profiles = enzyme().profile("k2", progress=shares.append)
        document = program("profile", "--parameters", "k2")
        self.assertEqual(json.loads(profiles.json), document)
        k2 = profiles["k2"]
        self.assertEqual(k2.low, document["parameters"][0]["lower"]["limit"])
        self.assertEqual(k2.high, document["parameters"][0]["upper"]["limit"])
        self.assertTrue((np.diff(k2.values) > 0).all())
        self.assertEqual(list(profiles.frame()["id"]), ["k2"])
        self.assertIn("<svg", profiles._repr_html_())
        self.assertEqual(shares[-1], 1)

    def test_ensemble(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            draws = enzyme().ensemble(800, warmup=300, band_samples=50, points=5, seed=3)
        self.assertEqual(draws.draws.shape[2], 3)
        self.assertAlmostEqual(np.median(draws["k1"]), 1.3, delta=0.05)
        self.assertAlmostEqual(np.median(draws["k1"]), draws.parameters["k1"]["median"], delta=1e-3)
        self.assertEqual(len(draws.frame()), draws.draws.shape[0] * draws.draws.shape[1])
        self.assertIn("q97.5", draws.bands)
        self.assertIn("<table", draws._repr_html_())


if __name__ == "__main__":
    unittest.main()
