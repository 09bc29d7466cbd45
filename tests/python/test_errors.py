"""The library's errors arrive as Python's own, with the same words."""
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pssc


def words_of(command, *arguments):
    done = command(*arguments)
    assert done.returncode != 0
    return done.stderr.strip().removeprefix("pssc: ")


def raised(error, call):
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) in (error, *error.__subclasses__())
    return str(caught.value)


def test_values(digits, command, tmp_path):
    np.save(tmp_path / "x.npy", digits[0][:20])
    np.save(tmp_path / "nan.npy", np.full((5, 8, 8), np.nan, np.float32))
    fit = lambda X, **parameters: lambda: pssc.PSSC(**parameters).fit(X)
    x = tmp_path / "x.npy"
    assert raised(ValueError, fit(x, n_clusters=50)) == words_of(command, "cluster", x, "-k", 50)
    assert raised(ValueError, fit(x, n_clusters=2, preset="best")) == words_of(command, "cluster", x, "-k", 2, "--preset", "best")
    same = raised(ValueError, fit(np.zeros((9, 8, 8)), n_clusters=2))
    np.save(tmp_path / "same.npy", np.zeros((9, 8, 8)))
    assert same == words_of(command, "cluster", tmp_path / "same.npy", "-k", 2)
    nan = words_of(command, "cluster", tmp_path / "nan.npy", "-k", 2).replace(str(tmp_path / "nan.npy"), "the array")
    assert raised(ValueError, fit(np.load(tmp_path / "nan.npy"), n_clusters=2)) == nan
    one = words_of(command, "cluster", x, "-k", 2, "--clusterer", "best").replace("--", "")
    assert raised(ValueError, fit(x, n_clusters=2, clusterer="best")) == one


@pytest.mark.parametrize("parameters, error", [
    ({"n_clusters": 1}, ValueError), ({"n_clusters": "some"}, ValueError), ({"n_clusters": 2.5}, TypeError),
    ({"n_clusters": True}, TypeError), ({"size": 0}, ValueError), ({"size": "32"}, TypeError), ({"size": 10**6}, ValueError),
    ({"colour": "red"}, ValueError), ({"scales": -1}, ValueError), ({"scales": 20}, ValueError), ({"order": 3}, ValueError),
    ({"angles": 0}, ValueError), ({"pca_dims": 0}, ValueError), ({"poc_dims": 500}, ValueError), ({"neighbours": 0}, ValueError),
    ({"representatives": "many"}, TypeError), ({"k_range": 3}, TypeError), ({"k_range": (9, 3)}, ValueError),
    ({"memory_limit": "much"}, ValueError), ({"memory_limit": -1}, ValueError), ({"features": 3}, TypeError),
    ({"device": "abacus"}, ValueError), ({"device": 0}, TypeError), ({"device": None}, TypeError),
    ({"refine": "more"}, ValueError), ({"dbscan_radius": "x"}, TypeError), ({"candidates": 10**30}, ValueError),
])
def test_parameters(digits, parameters, error):
    with pytest.raises(error):
        pssc.PSSC(**{"n_clusters": 3, "refine": "none", **parameters}).fit(digits[0][:40])


def test_no_gpu(digits, command, tmp_path, monkeypatch):
    """Where no GPU is to be seen, "cuda" says so in the command's words, and the others do without."""
    np.save(tmp_path / "x.npy", digits[0][:60])
    done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import sys
        import numpy as np, pssc
        X = np.load(sys.argv[1])
        for device in ("auto", "cpu"):
            model = pssc.PSSC(3, device=device).fit(X)
            print(model.summary_["backend"]["device"], model.labels_.tolist() == model.predict(X).tolist())
        try:
            pssc.PSSC(3, device="cuda").fit(X)
        except RuntimeError as error:
            print(error)
        """), tmp_path / "x.npy"], capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 0, done.stderr
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    expected = words_of(command, "cluster", tmp_path / "x.npy", "-k", 3, "--device", "cuda")
    assert "--device cpu" in expected
    assert done.stdout.splitlines() == ["cpu True", "cpu True", expected]


def test_files(digits, command, tmp_path, fitted):
    missing = tmp_path / "missing"
    assert raised(OSError, lambda: pssc.PSSC(2).fit(missing)) == words_of(command, "cluster", missing, "-k", 2)
    (tmp_path / "empty").mkdir()
    empty = tmp_path / "empty"
    assert raised(OSError, lambda: pssc.PSSC(2).fit(empty)) == words_of(command, "cluster", empty, "-k", 2)
    (tmp_path / "damaged.npy").write_bytes(b"\x93NUMPY\x01\x00")
    damaged = tmp_path / "damaged.npy"
    assert raised(OSError, lambda: pssc.PSSC(2).fit(damaged)) == words_of(command, "cluster", damaged, "-k", 2)
    np.save(tmp_path / "x.npy", digits[0][:20])
    model = tmp_path / "damaged.pssc"
    model.write_bytes(b"PSSCMODL")
    assert raised(OSError, lambda: pssc.PSSC.load(model)) == words_of(command, "predict", model, tmp_path / "x.npy")
    assert "no model" in raised(OSError, lambda: pssc.PSSC.load(tmp_path / "x.npy"))
    nowhere = raised(OSError, lambda: fitted.save(tmp_path / "no" / "folder" / "model.pssc"))
    assert "cannot write" in nowhere
    assert "none of the 2 paths" in raised(OSError, lambda: pssc.PSSC(2).fit(["a.png", "b.png"]))
    assert "did you mean" in raised(OSError, lambda: pssc.PSSC(2).fit("mnits"))


def test_types():
    for X in (3, None, object(), [object()], {"a": 1}):
        with pytest.raises((TypeError, ValueError)):
            pssc.PSSC(2).fit(X)
    float16 = raised(TypeError, lambda: pssc.PSSC(2).fit(np.zeros((3, 4, 4), np.float16)))
    assert float16 == "the array holds numbers of type <f2; write it as uint8 or float32, with array.astype"
    with pytest.raises(TypeError, match="fitted PSSC"):
        pssc.report(3)


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer ends a process with no memory left")
def test_memory():
    """With little left to take, MemoryError, and the process lives on."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import resource
        import numpy as np, pssc
        X = np.random.RandomState(0).standard_normal((200_000, 100)).astype(np.float32)  # 80 MB, and so is the result
        whitening = pssc.WithinClusterWhitening(n_jobs=1).fit(X[:1000], np.arange(1000) % 5)
        whitening.transform(X[:1000])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 40_000_000,) * 2)
        try:
            whitening.transform(X)
        except MemoryError as error:
            print("MemoryError:", error)
        print(whitening.transform(X[:1000]).shape)
        """)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "MemoryError: out of memory" in done.stdout and "(1000, 100)" in done.stdout


def test_nothing_is_left_of_a_failed_fit(digits):
    model = pssc.PSSC(700)
    with pytest.raises(ValueError, match="asked for 700 clusters"):
        model.fit(digits[0])
    assert not hasattr(model, "labels_")
    model.set_params(n_clusters=10).fit(digits[0])
    assert model.n_clusters_ == 10


def test_limits_of_files(digits, tmp_path):
    """An image over a limit is one that cannot be read; links out of a folder are followed where that is asked for."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    for i, image in enumerate(digits[0][:24]):
        folder = inside if i < 16 else outside
        (folder / f"{i:02}.pgm").write_bytes(b"P5 %d %d 255\n" % image.shape[::-1] + image.astype(np.uint8).tobytes())
    (inside / "linked").symlink_to(outside)
    with pytest.warns(UserWarning, match="--follow-links"):
        assert len(pssc.PSSC(2).fit(inside).labels_) == 17
    assert len(pssc.PSSC(2, follow_links=True).fit(inside).labels_) == 24
    assert "limit of 9 pixels" in raised(ValueError, lambda: pssc.PSSC(2, max_pixels=9).fit(inside))
    assert "max_unfolded" in raised(ValueError, lambda: pssc.PSSC(2, max_unfolded="much").fit(inside))
