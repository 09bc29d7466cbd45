"""Metrics, data sets, the report, the command, the types."""
import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import load, root
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import pssc
from pssc import _core


def test_metrics():
    truth, found = ["a", "a", "b", "b", "c", "c"], [2, 2, 0, 0, 0, 1]
    assert pssc.metrics.clustering_accuracy(truth, found) == pytest.approx(5 / 6)
    assert pssc.metrics.purity(truth, found) == pytest.approx(5 / 6)
    assert pssc.metrics.purity(truth, range(6)) == 1 and pssc.metrics.clustering_accuracy(truth, range(6)) == 0.5
    random = np.random.RandomState(0)
    y, z = random.randint(0, 7, 500), random.randint(-1, 5, 500)
    all_figures = pssc.metrics.evaluate(y, z)
    assert all_figures["nmi"] == pytest.approx(normalized_mutual_info_score(y, z))
    assert all_figures["ari"] == pytest.approx(adjusted_rand_score(y, z))
    with pytest.raises(ValueError):
        pssc.metrics.purity([1, 2], [1])
    with pytest.raises(ValueError):
        pssc.metrics.clustering_accuracy([], [])


def test_accuracy_is_the_best_of_all_matchings():
    from itertools import permutations
    random = np.random.RandomState(1)
    y, z = random.randint(0, 5, 60), random.randint(0, 5, 60)
    best = max(np.mean(np.array(p)[z] == y) for p in permutations(range(5)))
    assert pssc.metrics.clustering_accuracy(y, z) == pytest.approx(best)


def test_synthetic_digits():
    bunch = pssc.datasets.load_synthetic(50)
    assert bunch.images.shape == (50, 32, 32) and bunch.images.dtype == np.float32
    assert bunch.data.shape == (50, 1024) and bunch.data.base is not None
    assert set(bunch.target) <= set(range(10)) and len(bunch.target_names) == 10
    again, _ = pssc.datasets.load_synthetic(50, return_X_y=True)
    other, _ = pssc.datasets.load_synthetic(50, random_state=1, return_X_y=True)
    np.testing.assert_array_equal(again, bunch.images)
    assert (other != again).any()
    assert {"mnist", "usps", "fashion-mnist"} <= {entry["name"] for entry in pssc.datasets.list_datasets()}


@pytest.mark.parametrize("name, count, side", [("mnist", 70000, 28), ("fashion_mnist", 70000, 28), ("usps", 9298, 16)])
def test_real_data_sets(name, count, side):
    X, y = load(name)
    assert X.shape == (count, side, side) and X.dtype == np.uint8 and X.max() == 255
    assert y.shape == (count,) and set(y) == set(range(10))


def test_a_subset_that_is_not_there():
    with pytest.raises(ValueError, match="one of all, train, test"):
        pssc.datasets.load_mnist("some")


def test_absent_data_say_how_to_get_them(tmp_path):
    code = "import pssc; pssc.datasets.load_usps()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PSSC_DATA": "", "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)})
    assert "OSError: data set usps is not on this machine; put " in done.stderr


def test_report(fitted, digits, tmp_path):
    page = pssc.report(fitted, digits[0])
    assert 'id="pssc-report"' in page.html and "PSSC(n_clusters=10)" in page.html
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown  # escaped, inside the frame
    page.save(tmp_path / "report.html")
    fitted.write(tmp_path / "run", digits[0])
    from_folder = pssc.report(tmp_path / "run", height=300)
    assert from_folder.html == (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "height:300px" in from_folder._repr_html_()
    with pytest.raises(ValueError, match="needs the images"):
        pssc.report(fitted)
    with pytest.raises(ValueError, match="it had 600, and these are 10"):
        pssc.report(fitted, digits[0][:10])


def test_the_report_in_ipython(fitted, digits):
    formatters = pytest.importorskip("IPython.core.formatters", reason="skipped: no IPython")
    data, _ = formatters.DisplayFormatter().format(pssc.report(fitted, digits[0]))
    assert data["text/html"].startswith("<iframe")


def test_python_m_pssc_is_the_command(command, tmp_path):
    module = lambda *arguments: subprocess.run([sys.executable, "-m", "pssc", *arguments], capture_output=True, text=True)
    for arguments in (["--help"], ["--version"], ["cluster", "--help"], ["cluster", "synthetic:100", "-k", "ten"],
                      ["cluster", "/no/such", "-k", "3"], ["nonsense"]):
        ours, theirs = module(*arguments), command(*arguments)
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert module("cluster", "synthetic:60", "-k", "3", "-o", str(tmp_path / "out"), "--quiet").returncode == 0
    assert np.load(tmp_path / "out" / "labels.npy").shape == (60,)


package = Path(pssc.__file__).parent


def test_the_stubs_name_what_the_module_has():
    tree = ast.parse((package / "_core.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    real = {name: value for name, value in vars(_core).items() if not name.startswith("__")}
    assert set(classes) == {name for name, value in real.items() if isinstance(value, type)}
    assert functions == {name for name, value in real.items() if not isinstance(value, type)}
    for name, node in classes.items():
        stubbed = {item.name for item in node.body if isinstance(item, ast.FunctionDef) and not item.name.startswith("__")}
        assert stubbed == {member for member in vars(real[name]) if not member.startswith("_")}, name


def test_the_stubs_name_the_arguments_that_the_functions_have():
    tree = ast.parse((package / "_core.pyi").read_text(encoding="utf-8"))
    stubbed = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stubbed.update({f"{node.name}.{item.name}": item for item in node.body if isinstance(item, ast.FunctionDef)
                            and not item.decorator_list and item.name not in ("__getstate__", "__setstate__", "__len__")})
    for name, node in stubbed.items():
        real = _core
        for part in name.split("."):
            real = getattr(real, part)
        signature = re.sub(r"\[[^]]*\]|<[^>]*>", "", real.__doc__.splitlines()[0])
        arguments = re.findall(r"[(,] *(\w+):", signature)
        assert arguments == [a.arg for a in node.args.args], name


def test_types(tmp_path):
    pytest.importorskip("mypy", reason="skipped: no mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "-p", "pssc", "--ignore-missing-imports", "--cache-dir", tmp_path],
                          capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MYPYPATH": str(package.parent)})
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_public_thing_is_documented():
    for name in pssc.__all__:
        thing = getattr(pssc, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for method, value in vars(thing).items():
                if callable(value) and not method.startswith("_"):
                    assert value.__doc__, f"{name}.{method}"
    text = (root / "docs" / "python.md").read_text(encoding="utf-8")
    for name in pssc.__all__:
        assert name in text, name
