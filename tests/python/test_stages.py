"""The stages on their own: scattering against the golden files, POC, whitening and U-SPEC, alone and in pipelines."""
import pickle
import re

import numpy as np
import pytest
from conftest import root
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import pssc
from pssc.metrics import clustering_accuracy

golden = sorted((root / "tests" / "scattering" / "golden").glob("*.input.npy"))


@pytest.mark.parametrize("file", golden, ids=lambda f: f.name.split(".")[0])
def test_scattering_is_the_golden_files(file):
    scales, angles, order = map(int, re.search(r"_J(\d)_L(\d)_o(\d)", file.name).groups())
    X, expected = np.load(file), np.load(str(file).replace("input", "scattering"))
    transform = pssc.ScatteringTransform(scales, angles, order).fit(X)
    assert transform.output_shape_ == expected.shape[1:] and len(transform.paths_) == expected.shape[1]
    features = transform.transform(X)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features.reshape(expected.shape), expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_there_are_golden_files():
    assert len(golden) == 6


def test_scattering_is_the_commands_features(digits, command, tmp_path):
    X = digits[0][:70, 3:29, 3:29]
    np.save(tmp_path / "x.npy", X)
    assert command("features", tmp_path / "x.npy", "-o", tmp_path / "s.npy").returncode == 0
    expected = np.load(tmp_path / "s.npy")
    transform = pssc.ScatteringTransform(size=32).fit(X)
    np.testing.assert_array_equal(transform.transform(X).reshape(-1, *transform.output_shape_), expected)
    np.testing.assert_array_equal(transform.transform(tmp_path / "x.npy").reshape(expected.shape), expected)
    with pytest.raises(ValueError, match="size=32"):
        pssc.ScatteringTransform().fit(str(tmp_path / "x.npy"))


def test_channels_are_scattered_each_on_its_own():
    X = np.random.RandomState(0).randint(0, 256, (9, 24, 16, 3), dtype=np.uint8)
    together = pssc.ScatteringTransform(2).fit_transform(X).reshape(9, 3, -1)
    for channel in range(3):
        alone = pssc.ScatteringTransform(2).fit_transform(X[..., channel])
        np.testing.assert_array_equal(together[:, channel], alone)


def test_scattering_refuses_other_images_than_it_was_fitted_to(digits):
    transform = pssc.ScatteringTransform().fit(digits[0])
    with pytest.raises(ValueError, match="fitted to images of shape"):
        transform.transform(digits[0][:, :30])
    with pytest.raises(ValueError, match="2\\^|larger|scales|pixels"):
        pssc.ScatteringTransform(scales=7).fit(digits[0])


def test_scattering_as_features_for_a_classifier(digits):
    X, y = digits
    pipeline = Pipeline([("scattering", pssc.ScatteringTransform(3)), ("scale", StandardScaler()),
                         ("classify", LogisticRegression(max_iter=200))])
    assert pipeline.fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.9
    search = GridSearchCV(pipeline, {"scattering__order": [0, 2]}, cv=2).fit(X[:200], y[:200])
    assert search.best_params_ == {"scattering__order": 2}


def random_features(n=500, d=30, seed=0):
    random = np.random.RandomState(seed)
    return (random.standard_normal((n, d)) * np.linspace(5, 0.5, d) + 3).astype(np.float32)


def test_poc_is_pca_without_its_leading_components():
    X = random_features()
    poc, pca = pssc.POC(n_dropped=3, n_components=5).fit(X), PCA(8).fit(X.astype(float))
    signs = np.sign((poc.components_ * pca.components_[3:]).sum(axis=1))
    np.testing.assert_allclose(poc.components_ * signs[:, None], pca.components_[3:], atol=1e-3)
    np.testing.assert_allclose(poc.explained_variance_, pca.explained_variance_[3:], rtol=1e-3)
    np.testing.assert_allclose(poc.explained_variance_ratio_, pca.explained_variance_ratio_[3:], rtol=1e-3)
    np.testing.assert_allclose(poc.transform(X) * signs, pca.transform(X)[:, 3:], atol=1e-2)
    np.testing.assert_allclose(poc.components_ @ poc.dropped_components_.T, 0, atol=1e-4)
    assert (poc.n_dropped_, poc.n_components_) == (3, 5) and poc.dropped_components_.shape == (3, 30)


def test_poc_parts_what_a_common_direction_hides():
    random = np.random.RandomState(1)
    y = np.arange(400) % 2
    X = random.standard_normal((400, 3)) * [30, 0.5, 0.2] + np.outer(y, [0, 6, 0])
    before = KMeans(2, n_init=5, random_state=0).fit_predict(X)
    after = make_pipeline(pssc.POC(n_dropped=1), KMeans(2, n_init=5, random_state=0)).fit_predict(X)
    assert clustering_accuracy(y, before) < 0.7 and clustering_accuracy(y, after) > 0.99


def test_poc_refuses_to_drop_everything():
    X = random_features(50, 4)
    assert pssc.POC(2).fit(X[:, :2]).n_dropped_ == 1
    with pytest.raises(ValueError, match="cannot drop 9 of 4 directions"):
        pssc.POC(9).fit(X)
    for wrong, error in ((-1, ValueError), (1.5, TypeError), ("two", TypeError)):
        with pytest.raises(error, match="n_dropped"):
            pssc.POC(wrong).fit(X)
    with pytest.raises(ValueError, match="identical"):
        pssc.POC().fit(np.ones((10, 3)))


def labelled_features():
    random = np.random.RandomState(2)
    y = np.arange(600) % 3
    mixing = random.standard_normal((6, 6))
    return (random.standard_normal((600, 6)) @ mixing + 4 * np.eye(6)[y]).astype(np.float32), y


def test_whitening_makes_clusters_vary_alike():
    X, y = labelled_features()
    whitening = pssc.WithinClusterWhitening(ridge=1e-6).fit(X, y)
    Z = whitening.transform(X)
    rest = Z - np.stack([Z[y == c].mean(axis=0) for c in range(3)])[y]
    np.testing.assert_allclose(rest.T @ rest / (len(X) - 1), np.eye(6), atol=0.02)
    np.testing.assert_allclose(whitening.inverse_transform(Z), X, atol=1e-2)
    np.testing.assert_allclose(whitening.whitening_ @ whitening.unwhitening_, np.eye(6), atol=1e-3)
    np.testing.assert_array_equal(pssc.WithinClusterWhitening(ridge=1e-6).fit(X, np.array(list("abc"))[y]).whitening_,
                                  whitening.whitening_)


def test_whitening_leaves_noise_out_and_can_find_the_clusters():
    X, y = labelled_features()
    noisy = np.vstack([X, 1e3 * np.ones((5, 6), np.float32) * np.arange(5)[:, None]])
    labels = np.concatenate([y, np.full(5, -1)])
    with_noise = pssc.WithinClusterWhitening().fit(noisy, labels)
    np.testing.assert_allclose(with_noise.whitening_, pssc.WithinClusterWhitening().fit(X, y).whitening_, rtol=0.02, atol=0.01)
    own = pssc.WithinClusterWhitening(KMeans(3, n_init=3, random_state=0)).fit(X)
    assert own.clusterer_.labels_.shape == (600,)
    with pytest.raises(ValueError, match="requires y"):
        pssc.WithinClusterWhitening().fit(X)
    for ridge, error in ((0, ValueError), (-1, ValueError), ("x", TypeError)):
        with pytest.raises(error, match="ridge"):
            pssc.WithinClusterWhitening(ridge=ridge).fit(X, y)


def rings(n=1500):
    """Two rings, which no straight line parts."""
    random = np.random.RandomState(3)
    y = np.arange(n) % 2
    angle = random.uniform(0, 2 * np.pi, n)
    radius = np.where(y, 1.0, 3.0) + 0.1 * random.standard_normal(n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), y


def test_uspec_parts_what_kmeans_cannot():
    X, y = rings()
    model = pssc.USpec(2, representatives=300).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.99
    assert adjusted_rand_score(y, KMeans(2, n_init=3).fit_predict(X)) < 0.1
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    fresh, truth = rings(301)
    assert adjusted_rand_score(truth, model.predict(fresh * 1.01)) > 0.95
    embedding = model.embed(X)
    assert embedding.shape == (1500, 2)
    np.testing.assert_allclose((embedding**2).sum(axis=1), 1, atol=1e-4)
    assert model.representatives_.shape == (300, 2) and model.eigenvalues_[1] > 0.99
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(fresh), model.predict(fresh))


def test_uspec_finds_the_number():
    X = np.random.RandomState(0).standard_normal((900, 4)).astype(np.float32)
    X[np.arange(900), np.arange(900) % 4] += 15
    assert pssc.USpec("auto").fit(X).n_clusters_ == 4


@pytest.mark.parametrize("params, error", [({"n_clusters": 0}, ValueError), ({"n_clusters": 1.5}, TypeError),
                                           ({"representatives": 0}, ValueError), ({"neighbours": -1}, ValueError),
                                           ({"knn": "guess"}, ValueError), ({"knn": 3}, TypeError),
                                           ({"n_init": 0}, ValueError), ({"n_clusters": 2000}, ValueError),
                                           ({"n_clusters": "many"}, TypeError)])
def test_uspec_refuses(params, error):
    with pytest.raises(error):
        pssc.USpec(**params).fit(rings()[0])


def test_the_method_as_a_pipeline(digits):
    X, y = digits
    log = lambda S: np.log1p(np.maximum(S, 0) / 10)
    from sklearn.preprocessing import FunctionTransformer
    pipeline = make_pipeline(pssc.ScatteringTransform(), FunctionTransformer(log), pssc.POC(2, n_components=50),
                             pssc.WithinClusterWhitening(pssc.USpec(10)), pssc.USpec(10))
    assert clustering_accuracy(y, pipeline.fit_predict(X)) > 0.9
    assert pipeline.predict(X[:7]).shape == (7,)


def test_grid_search_over_uspec():
    X, y = rings()
    search = GridSearchCV(pssc.USpec(2), {"representatives": [2, 300], "neighbours": [3, 5]},
                          scoring=make_scorer(adjusted_rand_score), cv=2, n_jobs=2).fit(X, y)
    assert search.best_params_["representatives"] == 300 and search.best_score_ > 0.95
