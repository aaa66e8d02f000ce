# SPDX-License-Identifier: Apache-2.0
"""Analyses of models from Python: the same numbers and words as the program's."""

import json
import os
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import stiffit

ESCEP = """species S = 1, E = 0.01, C = 0, P = 0
E + S <-> C; k1, k_1
C -> E + P; k2
k1 = 1; k_1 = 1; k2 = 0.5
"""


def program(*words):
    return subprocess.run([os.environ["STIFFIT"], *words], check=True, capture_output=True,
                          text=True).stdout


class Scans(unittest.TestCase):
    def test_the_same_rows_as_the_program(self):
        scan = stiffit.load("escep").scan({"k1": (0.5, 2, 3, "log"), "S": [1, 2]}, 10, points=2)
        rows = json.loads(program("scan", "escep", "--vary", "k1=0.5:2:3:log", "--vary",
                                  "S=1:2:2", "--end", "10", "--points", "2", "--json"))["rows"]
        self.assertEqual(scan.values.shape, (3, 2, 3, 4))
        self.assertEqual(len(scan), 6)
        np.testing.assert_array_equal(np.array(list(scan._table().values())).T, np.array(rows))
        np.testing.assert_array_equal(scan["P"], scan.values[..., scan.columns.index("P")])

    def test_failures_are_named(self):
        model = stiffit.load("X = 1\nX' = k*X^2\nk = 0\n")
        with self.assertWarnsRegex(UserWarning, "1 of 2 runs failed"):
            scan = model.scan({"k": [0, 1]}, end=2)
        self.assertEqual(scan.failures[0][0], (1.0,))
        self.assertTrue(np.isnan(scan["X"][1, -1]))
        with self.assertRaises(stiffit.InputError) as caught:
            model.scan({"kk": [1]})
        self.assertIn("did you mean 'k'", str(caught.exception))
        self.assertNotIn("--", str(caught.exception))
        with self.assertRaises(stiffit.InputError):
            stiffit.grid(2, 1, 3)

    def test_results_can_be_pickled(self):
        scan = stiffit.load("escep").scan({"k1": [1, 2]}, 5)
        again = pickle.loads(pickle.dumps(scan))
        np.testing.assert_array_equal(again.values, scan.values)


class Comparisons(unittest.TestCase):
    def test_errors_are_reached_or_not(self):
        told = []
        found = stiffit.load("escep").compare(["rodas5p", "euler"], [1e-2, 1e-6], end=20,
                                              points=10, max_steps=100, progress=told.append)
        best = found.table[0]
        self.assertTrue(best["reached"] and best["achieved"] <= 1e-2 and best["steps"] > 0)
        self.assertFalse(found.table[3]["reached"])
        self.assertTrue(found.table[3]["reason"])
        self.assertEqual(list(found.curves), ["rodas5p", "euler"])
        self.assertEqual(told[-1], 1)
        with self.assertRaises(stiffit.InputError) as caught:
            stiffit.load("escep").compare("rodas5")
        self.assertIn("rodas5p", str(caught.exception))


class Verifications(unittest.TestCase):
    def test_the_same_as_the_program(self):
        found = stiffit.load("oregonator").verify(40, points=10)
        document = json.loads(program("simulate", "oregonator", "--end", "40", "--points", "10",
                                      "--verify", "--json"))["verify"]
        self.assertTrue(found.agrees)
        self.assertEqual(found.course.time.size, 11)
        self.assertEqual(found.worst, document["worst"])
        for name in ("method", "rtol", "allowed", "wrong", "tried"):
            self.assertEqual(getattr(found, name), document[name])
        self.assertEqual([d._asdict() for d in found.differences], document["differences"])

    def test_what_ends_early_is_not_verified(self):
        with self.assertRaises(stiffit.NumericsError) as raised:
            stiffit.load("X = 1\nX' = X^2\n").verify(2, points=3)
        self.assertLess(raised.exception.result.time[-1], 1)


class Reductions(unittest.TestCase):
    def test_michaelis_and_menten(self):
        reduced = stiffit.load(ESCEP).reduce("C", end=1000)
        self.assertEqual(reduced.rows[0].how, "solved")
        course = pickle.loads(pickle.dumps(reduced.model)).simulate(1000)
        np.testing.assert_allclose(course["C"], 0.01 * course["S"] / (1.5 + course["S"]),
                                   rtol=1e-6)
        self.assertGreater(reduced.differences["C"].share, reduced.differences["C"].later)
        with self.assertRaises(stiffit.InputError) as caught:
            stiffit.load(ESCEP).reduce("C", polynomial=True)
        self.assertIn("polynomial stands alone", str(caught.exception))

    def test_polynomial_form(self):
        made = stiffit.load("S -> P; v*S/(km + S); v = 0.5; km = 0.25; S = 1; P = 0").reduce(
            polynomial=True, end=10)
        self.assertEqual(made.degree, 2)
        self.assertLess(made.worst, 1e-6)


class Texts(unittest.TestCase):
    def test_equations(self):
        equations = stiffit.load("J: A -> B; k*A\nk = 2; A = 1; B = 0\n").equations()
        self.assertEqual(equations["B"], "k*A")
        self.assertIn("B' = k*A", str(equations))
        self.assertEqual(len(equations.conserved), 1)

    def test_conversion_is_the_programs(self):
        for kind in ("text", "antimony", "sbml", "c", "latex"):
            self.assertEqual(stiffit.load("escep").convert(kind),
                             program("convert", "escep", "--to", kind))
        with self.assertRaises(stiffit.InputError) as caught:
            stiffit.load("escep").convert("latx")
        self.assertIn("did you mean 'latex'", str(caught.exception))

    def test_findings_are_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.rxn")
            with open(path, "w", encoding="utf-8") as file:
                file.write("A -> B; k1*A\nB -> C; k2*Bb\nk1 = 1; A = 1; B = 0; C = 0\nD = = 3\n")
            said = json.loads(subprocess.run([os.environ["STIFFIT"], "check", path, "--json"],
                                             capture_output=True, text=True).stdout)
            found = stiffit.check(path)
            self.assertEqual([f.message for f in found], [f["message"] for f in said["findings"]])
            self.assertEqual([f.text for f in found], [f["text"] for f in said["findings"]])
            self.assertIn("error", {f.severity for f in found})
            with self.assertRaises(stiffit.InputError):
                stiffit.check(os.path.join(folder, "nowhere.rxn"))
        self.assertEqual(stiffit.check("oregonator"), [])
        start = stiffit.check("A -> B; k/(A - 1)\nk = 1; A = 1; B = 0\n")
        self.assertIn("not finite", start[0].message)
        self.assertEqual(start[0].line, 1)


class Messages(unittest.TestCase):
    def test_time_courses_say_what_to_know(self):
        course = stiffit.load("A -> ; k*sqrt(A)\nk = 1; A = 1\n").simulate(3)
        self.assertEqual([m.kind for m in course.messages], ["note"])
        self.assertIn("A is used up", course.messages[0].text)
        self.assertEqual(pickle.loads(pickle.dumps(course)).messages, course.messages)
        self.assertEqual(stiffit.load("escep").simulate(3).messages, [])
        with self.assertRaises(stiffit.NumericsError) as caught:
            stiffit.load("X = 1\nX' = X^2\n").simulate(2)
        self.assertEqual(caught.exception.result.messages[-1].kind, "error")

    def test_steady_states_below_zero(self):
        with self.assertWarnsRegex(UserWarning, "X is negative there"):
            steady = stiffit.load("species X = 1\nX -> ; 1 + k*X\nk = 1\n").steady()
        self.assertEqual(len(steady.warnings), 1)

    def test_fixed_steps_that_are_too_long(self):
        model = stiffit.load("A -> ; k*A\nk = 5; A = 1\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                course = model.simulate(20, method="euler", step=0.5)
            except stiffit.NumericsError as error:
                course = error.result
        self.assertTrue(course.messages)


if __name__ == "__main__":
    unittest.main()
