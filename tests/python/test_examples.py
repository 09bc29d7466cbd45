"""Each program in examples/python runs, and says what it should."""
import os
import re
import subprocess
import sys

import pytest
from conftest import load, root, write_pgm

import pssc

examples = root / "examples" / "python"


def run(name, *arguments, cwd):
    done = subprocess.run([sys.executable, examples / name, *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_examples_are_run():
    tested = set(re.findall(r'run\("([a-z_]+\.py)"', open(__file__).read()))
    assert tested == {path.name for path in examples.glob("*.py")}


def test_folder_to_named_clusters(digits, tmp_path):
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    for i, (image, label) in enumerate(zip(*digits)):
        write_pgm(tmp_path / "photos" / f"{names[label]}-{i:04}.pgm", image)
    for command in ([], ["--names", "first,second"]):
        out = run("folder_to_named_clusters.py", tmp_path / "photos", "-k", 10, "-o", tmp_path / f"sorted{len(command)}",
                  *command, cwd=tmp_path)
    assert "600 images" in out
    folders = {path.name for path in (tmp_path / "sorted2").iterdir() if path.is_dir()}
    assert {"first", "second", "cluster-2"} <= folders
    links = list((tmp_path / "sorted2").glob("*/*.pgm"))
    assert len(links) == 600 and all(link.resolve().exists() for link in links)
    assert (tmp_path / "sorted2" / "report.html").exists()
    # A folder holds mostly one kind of digit.
    kinds = [[link.name.split("-")[0] for link in folder.iterdir()] for folder in (tmp_path / "sorted2").iterdir()
             if folder.is_dir()]
    assert sum(max(kind.count(name) for name in names) for kind in kinds) > 0.7 * 600


def test_scattering_classifier(tmp_path):
    load("mnist", subset="test")
    out = run("scattering_classifier.py", cwd=tmp_path)
    accuracy = {name: float(figure) for name, figure in re.findall(r"(\w+)\s+accuracy ([.\d]+)", out)}
    assert accuracy["scattering"] > 0.94 and accuracy["scattering"] > accuracy["pixels"] + 0.03


def test_poc_toy(tmp_path):
    pytest.importorskip("matplotlib", reason="skipped: no matplotlib")
    out = run("poc_toy.py", "-o", tmp_path / "toy.png", cwd=tmp_path)
    before, after = map(float, re.findall(r"accuracy ([.\d]+)", out))
    assert before < 0.75 and after > 0.98
    assert (tmp_path / "toy.png").read_bytes().startswith(b"\x89PNG")


def test_compare_clusterers(tmp_path):
    out = run("compare_clusterers.py", "--images", 2000, cwd=tmp_path)
    rows = dict(re.findall(r"^(\S.*?)\s{2,}(0\.\d+)", out, re.M))
    assert {"KMeans", "SpectralClustering", "USpec", "PSSC"} <= set(rows)
    assert float(rows["PSSC"]) > max(float(v) for name, v in rows.items() if name != "PSSC")
