"""Arrays are read where they lie, whatever their type and strides; none is copied."""
import resource

import numpy as np
import pytest

import pssc
from pssc import _core
from pssc._common import float_rows


def strided(X):
    wide = np.zeros((X.shape[0], X.shape[1] * 2, X.shape[2] * 3), X.dtype)
    wide[:, ::2, 1::3] = X
    return wide[:, ::2, 1::3]


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


def mapped(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


def unaligned(X):
    raw = np.zeros(X.nbytes + 1, np.uint8)
    view = raw[1:].view(X.dtype) if X.itemsize == 1 else np.frombuffer(raw.data, X.dtype, X.size, offset=1)
    view[:] = X.ravel()
    return view.reshape(X.shape)


layouts = {
    "C": lambda X, tmp: X,
    "Fortran": lambda X, tmp: np.asfortranarray(X),
    "strided": lambda X, tmp: strided(X),
    "backwards": lambda X, tmp: X[::-1, :, ::-1].copy()[::-1, :, ::-1],
    "transposed": lambda X, tmp: np.ascontiguousarray(X.transpose(2, 1, 0)).transpose(2, 1, 0),
    "read-only": lambda X, tmp: read_only(X),
    "memory-mapped": mapped,
    "unaligned": lambda X, tmp: unaligned(X),
    "list": lambda X, tmp: X.tolist(),
}
types = {"uint8": lambda X: X, "float32": lambda X: X.astype(np.float32), "float64": lambda X: X.astype(np.float64),
         "0..1": lambda X: (X / np.float32(255)).astype(np.float32), "int16": lambda X: X.astype(np.int16),
         "big-endian": lambda X: X.astype(">f4"), "uint64": lambda X: X.astype(np.uint64)}


@pytest.fixture(scope="module")
def images(digits):
    return digits[0][:120, 2:30, 1:31]  # not square


@pytest.fixture(scope="module")
def expected(images):
    X = np.ascontiguousarray(images)
    return pssc.PSSC(5).fit(X).labels_, pssc.ScatteringTransform(2).fit_transform(X)


@pytest.mark.parametrize("layout", layouts)
@pytest.mark.parametrize("kind", ["uint8", "float32"])
def test_every_layout_gives_the_same(images, expected, tmp_path, layout, kind):
    X = layouts[layout](types[kind](np.ascontiguousarray(images)), tmp_path)
    np.testing.assert_array_equal(pssc.PSSC(5).fit_predict(X), expected[0])
    np.testing.assert_array_equal(pssc.ScatteringTransform(2).fit_transform(X), expected[1])


@pytest.mark.parametrize("kind", types)
def test_every_type_gives_the_same(images, expected, kind):
    X = types[kind](images)
    if kind != "0..1":
        np.testing.assert_array_equal(pssc.ScatteringTransform(2).fit_transform(X), expected[1])
        np.testing.assert_array_equal(pssc.PSSC(5).fit_predict(X), expected[0])
    else:
        assert pssc.metrics.clustering_accuracy(expected[0], pssc.PSSC(5).fit_predict(X)) > 0.98


def test_booleans_and_one_channel(images):
    X = images > 100
    np.testing.assert_array_equal(pssc.PSSC(5).fit_predict(X), pssc.PSSC(5).fit_predict(X.astype(np.uint8) * 255))
    np.testing.assert_array_equal(pssc.PSSC(5).fit_predict(images[..., None]), pssc.PSSC(5).fit_predict(images))


def test_flat_and_strided_is_still_a_view(images):
    flat = np.zeros((120, 2 * 28 * 30), np.float32)[:, ::2]
    flat[:] = images.reshape(120, -1)
    np.testing.assert_array_equal(pssc.PSSC(5, image_shape=(28, 30)).fit_predict(flat), pssc.PSSC(5).fit_predict(images))


@pytest.mark.parametrize("layout", ["C", "rows apart", "Fortran", "columns apart", "read-only", "memory-mapped", "unaligned"])
@pytest.mark.parametrize("make", [lambda: pssc.USpec(5), lambda: pssc.POC(), lambda: pssc.WithinClusterWhitening(pssc.USpec(5))],
                         ids=["USpec", "POC", "WithinClusterWhitening"])
def test_features_in_every_layout(layout, make, tmp_path):
    X = np.random.RandomState(0).standard_normal((200, 12)).astype(np.float32)
    X[:100, 0] += 9
    other = {"C": X, "rows apart": np.repeat(X, 2, axis=0)[::2], "Fortran": np.asfortranarray(X),
             "columns apart": np.repeat(X, 2, axis=1)[:, ::2], "read-only": read_only(X),
             "memory-mapped": mapped(X, tmp_path), "unaligned": unaligned(X)}[layout]
    results = lambda X: getattr(make(), "fit_transform" if hasattr(make(), "transform") else "fit_predict")(X)
    np.testing.assert_array_equal(results(other), results(X))


def test_unaligned_features_are_copied_and_else_refused():
    X = unaligned(np.random.RandomState(0).standard_normal((20, 3)).astype(np.float32))
    assert X.flags.c_contiguous and not X.flags.aligned
    rows = float_rows(pssc.POC(), X, reset=True)
    assert rows.flags.aligned
    np.testing.assert_array_equal(rows, X)
    with pytest.raises(TypeError, match="aligned"):
        _core.fit_pca(X, 2, _core.Settings())


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_nothing_large_is_copied():
    """An array of 400 MB, of which all is read but nothing held: a copy would show in the peak of memory."""
    X = np.zeros((100_000, 32, 32), np.float32)
    X[:, 4:28, 4:28] = np.random.RandomState(0).randint(0, 255, (24, 24))
    X[::2, :, :16] = 0
    X[:, 0, 0] = np.arange(len(X)) % 200
    transform = pssc.ScatteringTransform(3, order=0, n_jobs=2)
    transform.fit(X[:10])
    model = pssc.PSSC(2, features="pixels", pca_dims=10, clusterer="kmeans", refine="none", sample_images=1000,
                      fit_images=1000, n_jobs=2)
    model.fit(X[:2000])
    before = peak()
    features = transform.transform(X)
    assert features.nbytes < 8e6
    model.fit(X)
    labels = model.predict(X)
    assert len(labels) == len(X)
    assert peak() - before < 100e6, f"{(peak() - before) / 1e6:.0f} MB more"


def test_features_are_not_copied_either():
    X = np.random.RandomState(0).standard_normal((400_000, 128)).astype(np.float32)  # 205 MB
    whitening = pssc.WithinClusterWhitening().fit(X[:1000], np.arange(1000) % 5)
    poc = pssc.POC(n_components=4).fit(X[:1000])
    before = peak()
    assert poc.transform(X).shape == (400_000, 4)
    poc.fit(X)
    assert peak() - before < 60e6, f"{(peak() - before) / 1e6:.0f} MB more"
    before = peak()
    assert whitening.transform(X[:200_000]).nbytes == 102_400_000
    assert peak() - before < 130e6, f"{(peak() - before) / 1e6:.0f} MB more"  # the result alone
