# SPDX-License-Identifier: Apache-2.0
"""Models from Python: what is computed, how it is shown, what is said when it fails."""

import copy
import inspect
import json
import os
import pickle
import subprocess
import tempfile
import threading
import unittest

import numpy as np

import stiffit

ESCEP = """species S = 1, E = 0.01, C = 0, P = 0
E + S <-> C; k1, k_1
C -> E + P; k2
k1 = 1; k_1 = 1; k2 = 0.5
"""
SOURCE = os.environ["STIFFIT_SOURCE"]


def program(*words):
    """What the program itself says."""
    return subprocess.run([os.environ["STIFFIT"], *words], check=True, capture_output=True,
                          text=True).stdout


class Loading(unittest.TestCase):
    def test_text_library_and_files(self):
        self.assertEqual(list(stiffit.load(ESCEP).species), ["S", "E", "C", "P"])
        self.assertEqual(stiffit.load("A -> B; k; k = 1; A = 1; B = 0").name, "model")
        self.assertEqual(stiffit.load("oregonator").end, 40)
        self.assertEqual(stiffit.load(SOURCE + "/examples/escep/escep.rxn").parameters["k2"], 0.5)
        self.assertIn("robertson", stiffit.models())
        self.assertIn("model", stiffit.model_text("robertson"))
        self.assertIn("rodas5p", [m["name"] for m in stiffit.methods()])

    def test_sbml_and_networks(self):
        with tempfile.TemporaryDirectory() as folder:
            sbml = os.path.join(folder, "model.xml")
            program("convert", "escep", "-o", sbml)
            net = os.path.join(folder, "model.net")
            program("convert", "lotka", "-o", net)
            with open(sbml, encoding="utf-8") as file:
                text = file.read()
            plain = stiffit.load("escep").simulate(end=100)
            for model in (stiffit.load(sbml), stiffit.load(text)):
                np.testing.assert_allclose(model.simulate(end=100)["P"], plain["P"], rtol=1e-4,
                                           atol=1e-9)
            self.assertGreater(len(stiffit.load(net).species), 2)

    def test_mistakes_have_their_place(self):
        with self.assertRaises(stiffit.InputError) as caught:
            stiffit.load("A -> B; k1\nA = 1 2\n")
        self.assertIn("^", str(caught.exception))
        self.assertIn("model:2", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            stiffit.load("oregonatr")
        self.assertIn("did you mean 'oregonator'", str(caught.exception))
        with self.assertRaises(stiffit.InputError) as caught:
            stiffit.load("oregonator").simulate(set={"epss": 1})
        self.assertIn("did you mean 'eps'", str(caught.exception))
        self.assertNotIn("--", str(caught.exception))


class Pickling(unittest.TestCase):
    def same(self, model):
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.name, model.name)
        np.testing.assert_equal(again.species, model.species)  # NaN is as good as NaN
        a, b = model.simulate(2, points=4), again.simulate(2, points=4)
        self.assertEqual(a.columns, b.columns)
        np.testing.assert_array_equal(a.values, b.values)

    def test_models_of_every_kind(self):
        self.same(stiffit.load("oregonator"))
        self.same(stiffit.load(ESCEP))
        sbml = program("convert", "escep", "--to", "sbml")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.xml")
            with open(path, "w") as file:
                file.write(sbml)
            self.same(stiffit.load(path))
            both = os.path.join(folder, "both.ant")
            with open(both, "w") as file:
                file.write("model one\n A -> B; k*A\n A = 1; B = 0; k = 1\nend\n"
                           "model two\n A -> B; k*A\n A = 3; B = 0; k = 2\nend\n")
            self.same(stiffit.load(both + "#one"))
            self.same(stiffit.load(both))
            kept = pickle.dumps(stiffit.load(both + "#one"))
        self.assertEqual(pickle.loads(kept).species["A"], 1)  # without its file
        copied = copy.deepcopy(stiffit.load(ESCEP))
        self.assertEqual(copied.species["S"], 1)

    def test_what_cannot_be_pickled_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "u.csv"), "w") as file:
                file.write("time,u\n0,1\n10,2\n")
            path = os.path.join(folder, "m.ant")
            with open(path, "w") as file:
                file.write('A -> ; u*A\nA = 1\nu := table("u.csv", u)\n')
            model = stiffit.load(path)
            with self.assertRaisesRegex(stiffit.InputError, "reads other files"):
                pickle.dumps(model)
        problem = stiffit.load(ESCEP).problem({"time": [1, 2], "P": [0.1, 0.2]}, "k1")
        for thing in (problem, problem.objective()):
            with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                pickle.dumps(thing)


class Keywords(unittest.TestCase):
    """Each method has the options of its command, with the same lines of help."""

    def test_they_are_those_of_the_program(self):
        others = {"folder": "output", "by": "sensitivities", "assumed_size": "assume"}
        for method, command in ((stiffit.Model.simulate, "simulate"),
                                (stiffit.Model.sensitivities, "simulate"),
                                (stiffit.Model.stiffness, "stiffness"),
                                (stiffit.Model.steady, "steady"),
                                (stiffit.Model.ensemble, "ensemble"),
                                (stiffit.Model.scan, "scan"),
                                (stiffit.Model.compare, "compare"),
                                (stiffit.Model.reduce, "reduce"),
                                (stiffit.Problem.objective, "evaluate")):
            names = [n for n in inspect.signature(method).parameters if n != "self"]
            self.assertGreater(len(names), 4)
            text = program(command, "--help")
            for name in set(names) - {"progress", "derivatives"}:
                self.assertIn(name + ":", method.__doc__)
                option = others.get(name, name).replace("_", "-")
                if name == "gradient":
                    option = "sensitivities"
                self.assertIn("--" + option + " ", text)
        with self.assertRaisesRegex(stiffit.InputError, "did you mean 'points'"):
            stiffit.load(ESCEP).simulate(pionts=3)
        with self.assertRaises(TypeError):
            stiffit.load(ESCEP).simulate(3, by="k1")
        with self.assertRaises(TypeError):
            stiffit.load(ESCEP).simulate(3, end=4)

    def test_what_programs_could_do_alone(self):
        model = stiffit.load("compartment c\nspecies A in c\nA -> ; c*k*A\nA = 1; k = 1\n")
        self.assertAlmostEqual(model.simulate(1, assumed_size=2, method="bdf", max_order=2,
                                              rtol=1e-9)["A"][-1], np.exp(-1), places=6)
        fitted = [m["name"] for m in stiffit.methods() if "fitted" in m["family"]]
        if fitted:
            stiffit.load(ESCEP).simulate(1, method=fitted[0], step=0.1, eigenvalues=[-2.0])
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "ensemble")
            sample = {"k2": "uniform(0.1,1)"}
            first = stiffit.load(ESCEP).ensemble(sample, 10, samples=50, points=2, folder=out,
                                                 rows=True, histogram=5)
            for name in ("bands.csv", "samples.csv", "histograms.csv", "result.json",
                         "report.html"):
                self.assertTrue(os.path.exists(os.path.join(out, name)), name)
            again = stiffit.load(ESCEP).ensemble(sample, 10, samples=50, points=2, folder=out,
                                                 rows=True, resume=True)
            np.testing.assert_array_equal(first.mean, again.mean)
            with self.assertRaisesRegex(stiffit.InputError, "holds a run"):
                stiffit.load(ESCEP).ensemble(sample, 10, samples=50, points=2, folder=out)
        with self.assertRaisesRegex(stiffit.InputError, "resume needs the folder"):
            stiffit.load(ESCEP).ensemble(sample, resume=True)


class Simulating(unittest.TestCase):
    def test_numbers_that_are_none_are_refused(self):
        model = stiffit.load(ESCEP)
        nan = float("nan")
        for name in ("end", "start", "rtol", "atol", "step"):
            with self.assertRaisesRegex(stiffit.InputError, name + " is nan"):
                model.simulate(**{name: nan})
        with self.assertRaisesRegex(stiffit.InputError, "end is nan"):
            model.stiffness(end=nan)
        with self.assertRaisesRegex(stiffit.InputError, "end is nan"):
            model.sensitivities("k1", nan)
        with self.assertRaises(stiffit.InputError):
            model.simulate(end=float("inf"))
        with self.assertRaises(stiffit.InputError):
            model.simulate(times=[0, nan])

    def test_empty_lists_are_refused(self):
        model = stiffit.load(ESCEP)
        for times in ([], (), np.array([])):
            with self.assertRaisesRegex(stiffit.InputError, "times holds no time"):
                model.simulate(times=times)
        for by in ([], (), np.array([], dtype=str)):
            with self.assertRaisesRegex(stiffit.InputError, "name at least one"):
                model.sensitivities(by)
        self.assertEqual(len(model.simulate(times=range(3))), 3)

    def test_the_same_as_the_program(self):
        course = stiffit.load("oregonator").simulate(end=40, points=50)
        document = json.loads(program("simulate", "oregonator", "--end", "40", "--points", "50",
                                      "--json"))
        rows = np.array(document["rows"])
        np.testing.assert_array_equal(course.time, rows[:, 0])
        np.testing.assert_array_equal(course.values, rows[:, 1:])
        self.assertEqual(course.columns, document["columns"][1:])
        self.assertEqual(course.counters["steps"], document["stats"]["steps"])
        table = [line.split(",") for line in course.to_csv().splitlines()]
        self.assertEqual(table[0], document["columns"])
        np.testing.assert_array_equal(np.array(table[1:], dtype=float), rows)

    def test_options(self):
        model = stiffit.load(ESCEP)
        rate = f"rate({model.reactions[1]})"
        course = model.simulate(times=np.array([0, 1, 10.0]), show=["C", rate])
        np.testing.assert_allclose(course[rate], 0.5 * course["C"], rtol=1e-12)
        np.testing.assert_array_equal(course["time"], [0, 1, 10])
        quick = model.simulate(100, set={"E": 0.1}, method="bdf", rtol=1e-8)
        self.assertGreater(quick["P"][-1], model.simulate(100)["P"][-1])
        self.assertEqual(len(quick), 101)
        for wrong in ({"end": -1}, {"points": 0}, {"method": "nothing"}, {"times": [2, 1]},
                      {"rtol": -1}, {"set": {"E": float("nan")}}, {"show": "nothing"}):
            with self.assertRaises(stiffit.InputError, msg=wrong):
                model.simulate(**wrong)
        with self.assertRaises(TypeError):
            model.simulate(points="many")
        with self.assertRaises(stiffit.InputError):
            quick["nothing"]

    def test_failed_numerics_keep_their_rows(self):
        with self.assertRaises(stiffit.NumericsError) as caught:
            stiffit.load("X = 1\nX' = X^2\n").simulate(end=2)
        self.assertAlmostEqual(caught.exception.time, 1, places=3)
        self.assertIn("X", str(caught.exception))
        reached = caught.exception.result
        self.assertGreater(len(reached), 40)
        before = reached.time < 0.95
        np.testing.assert_allclose(reached["X"][before], 1 / (1 - reached.time[before]), rtol=1e-3)

    def test_sensitivities(self):
        model = stiffit.load(ESCEP)
        s = model.sensitivities(["k1", "S"], end=300, points=3, rtol=1e-9)
        self.assertEqual(s.derivatives.shape, (4, 4, 2))
        up = model.simulate(300, points=3, rtol=1e-9, set={"k1": 1.0001})
        down = model.simulate(300, points=3, rtol=1e-9, set={"k1": 0.9999})
        np.testing.assert_allclose(s["P", "k1"], (up["P"] - down["P"]) / 2e-4, atol=1e-5)
        self.assertIn("d(P)/d(k1)", s.frame().columns)

    def test_frames_and_pictures(self):
        course = stiffit.load(ESCEP).simulate(100)
        frame = course.to_pandas()
        self.assertEqual(list(frame.columns), ["time", "S", "E", "C", "P"])
        self.assertEqual(frame["P"].iloc[-1], course["P"][-1])
        page = course._repr_html_()
        self.assertIn("<svg", page)
        self.assertNotIn("nan", page)
        self.assertIn("101 rows", repr(course))
        self.assertIn("4 species", repr(stiffit.load(ESCEP)))
        self.assertIn("<table", stiffit.load(ESCEP)._repr_html_())

    def test_threads_at_once(self):
        model = stiffit.load(ESCEP)
        expected = model.simulate(set={"k1": 2.0}).values
        wrong = []

        def work():
            for _ in range(20):
                if not np.array_equal(model.simulate(set={"k1": 2.0}).values, expected):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_others_run_while_it_computes(self):
        model = stiffit.load("oregonator")
        counted = [0]
        done = threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1

        counter = threading.Thread(target=count)
        counter.start()
        seen = []
        model.ensemble({"f": "uniform(0.9,1.1)"}, samples=4000, end=40, threads=1,
                       progress=lambda share: seen.append(counted[0]))
        done.set()
        counter.join()
        self.assertGreater(len(set(seen)), 1)  # it has counted on meanwhile


class Analysing(unittest.TestCase):
    def test_stiffness(self):
        s = stiffit.load("robertson").stiffness(100, points=20)
        self.assertEqual(s.verdict, "stiff")
        self.assertEqual(len(s.eigenvalues), 3)
        self.assertEqual(len(s.frame()), len(s.time))
        self.assertIn("<svg", s._repr_html_())

    def test_steady(self):
        rest = stiffit.load("A -> B; 2\nB -> A; 1\nA = 3\nB = 0").steady()
        self.assertAlmostEqual(rest["A"], 1)
        self.assertEqual(rest.stability, "stable")
        with self.assertRaises(stiffit.NumericsError):
            stiffit.load("-> A; 1\nA = 0").steady()

    def test_ensemble(self):
        model = stiffit.load(ESCEP)
        shares = []
        ensemble = model.ensemble({"k2": "lognormal(0.5,0.3)"}, 200, samples=200, points=4, seed=7,
                               progress=shares.append)
        document = json.loads(program("ensemble", "escep", "--sample", "k2=lognormal(0.5,0.3)",
                                      "--end", "200", "--samples", "200", "--points", "4",
                                      "--seed", "7", "--show", "P", "--json"))
        again = stiffit.load("escep").ensemble({"k2": "lognormal(0.5,0.3)"}, 200, samples=200,
                                               points=4, seed=7, show="P", threads=1)
        self.assertEqual([row["P"]["mean"] for row in document["rows"]], again.mean[:, 0].tolist())
        self.assertEqual([row["P"]["q97.5"] for row in document["rows"]],
                         again.quantile("P", 0.975).tolist())
        self.assertEqual(shares[-1], 1)
        self.assertTrue((ensemble.quantile("P", 0.025) <= ensemble.quantile("P", 0.975)).all())
        self.assertIn("q97.5(P)", ensemble.frame().columns)
        self.assertIn("<svg", ensemble._repr_html_())

    def test_errors_of_listeners_come_out(self):
        class Mine(Exception):
            pass

        def listener(share):
            raise Mine()

        with self.assertRaises(Mine):
            stiffit.load(ESCEP).ensemble({"k2": "uniform(0.1,1)"}, samples=2000, progress=listener)

if __name__ == "__main__":
    unittest.main()
