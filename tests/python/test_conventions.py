"""scikit-learn's conventions: by its own machine for the estimators of feature vectors, written out for those of images."""
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import pssc

feature_level = [pssc.POC(), pssc.POC(n_dropped=0), pssc.POC(n_dropped=1, n_components=1), pssc.USpec(),
                 pssc.USpec(knn="hnsw"), pssc.WithinClusterWhitening(), pssc.WithinClusterWhitening(pssc.USpec(3))]
image_level = [pssc.PSSC(10), pssc.PSSC(10, preset="paper"), pssc.ScatteringTransform()]
image_ids = [repr(e) for e in image_level]


@parametrize_with_checks(feature_level)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_no_check_is_excused():
    for estimator in feature_level:
        assert not estimator._get_tags()["_xfail_checks"] and not estimator._get_tags()["no_validation"]


@pytest.mark.parametrize("cls", [pssc.PSSC, pssc.ScatteringTransform, pssc.POC, pssc.WithinClusterWhitening, pssc.USpec])
def test_the_constructor_stores_and_does_nothing_else(cls):
    names = [p for p in inspect.signature(cls.__init__).parameters if p != "self"]
    strange = {name: object() for name in names}
    estimator = cls(**strange)
    assert vars(estimator) == strange
    assert estimator.get_params(deep=False) == strange
    assert issubclass(cls, BaseEstimator)


@pytest.fixture(params=range(len(image_level)), ids=image_ids)
def estimator(request):
    return clone(image_level[request.param])


def learned(estimator):
    return {name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")}


def results(estimator, X):
    names = [name for name in ("predict", "predict_proba", "transform") if hasattr(estimator, name)]
    return {name: getattr(estimator, name)(X) for name in names}


def test_fit_returns_self_keeps_parameters_and_leaves_the_images_alone(estimator, digits):
    X = digits[0][:200].copy()
    before, params = X.copy(), estimator.get_params()
    assert not learned(estimator)
    assert estimator.fit(X, y=digits[1][:200]) is estimator
    assert estimator.get_params() == params
    assert learned(estimator)
    np.testing.assert_array_equal(X, before)


def test_nothing_works_before_fit(estimator, digits):
    for name in ("predict", "predict_proba", "transform", "save"):
        if hasattr(estimator, name):
            with pytest.raises(NotFittedError):
                getattr(estimator, name)(digits[0])


def test_fit_twice_is_fit_once_and_methods_change_nothing(estimator, digits):
    X = digits[0][:200]
    estimator.fit(X)
    state, first = pickle.dumps(estimator), results(estimator, X)
    assert pickle.dumps(estimator) == state
    again = results(estimator.fit(X), X)
    for name, value in first.items():
        np.testing.assert_array_equal(value, again[name])


def test_clone_forgets_what_was_learned(estimator, digits):
    copy = clone(estimator.fit(digits[0][:100]))
    assert not learned(copy)
    assert copy.get_params() == estimator.get_params()


def test_set_params_and_repr(estimator):
    assert estimator.set_params(n_jobs=1) is estimator and estimator.n_jobs == 1
    assert type(estimator).__name__ in repr(estimator)
    with pytest.raises(ValueError):
        estimator.set_params(no_such_parameter=1)


def test_pickled_estimators_work_as_before(estimator, digits):
    X = digits[0][:200]
    estimator.fit(X)
    copy = pickle.loads(pickle.dumps(estimator))
    for name, value in results(estimator, X).items():
        np.testing.assert_array_equal(value, results(copy, X)[name])
    for name in learned(estimator):
        one, other = getattr(estimator, name), getattr(copy, name)
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, other)


def test_a_part_of_the_images_is_placed_as_all_are(estimator, digits):
    X = digits[0][:200]
    whole = results(estimator.fit(X), X)
    for begin in (0, 70, 199):
        for name, value in results(estimator, X[begin:begin + 70]).items():
            np.testing.assert_allclose(value, whole[name][begin:begin + 70], rtol=1e-4, atol=1e-4)


def test_order_does_not_matter_for_placing(estimator, digits):
    X = digits[0][:200]
    order = np.random.RandomState(0).permutation(200)
    whole = results(estimator.fit(X), X)
    for name, value in results(estimator, X[order]).items():
        np.testing.assert_allclose(value, whole[name][order], rtol=1e-4, atol=1e-4)


def test_fit_transform_and_fit_predict_are_their_parts(estimator, digits):
    X = digits[0][:200]
    np.testing.assert_array_equal(clone(estimator).fit_transform(X), clone(estimator).fit(X).transform(X))
    if hasattr(estimator, "fit_predict"):
        labels = estimator.fit_predict(X)
        np.testing.assert_array_equal(labels, estimator.labels_)
        assert labels.dtype == np.int32 and labels.shape == (200,)
        np.testing.assert_array_equal(np.unique(labels), np.arange(estimator.n_clusters_))


def test_feature_names_out(estimator, digits):
    estimator.fit(digits[0][:100])
    names = estimator.get_feature_names_out()
    assert len(names) == estimator.transform(digits[0][:2]).shape[1]
    assert names[0].startswith(type(estimator).__name__.lower())


@pytest.mark.parametrize("make, message", [
    (lambda: np.zeros((0, 28, 28)), "0 sample|no images"),
    (lambda: np.full((5, 28, 28), np.nan, np.float32), "NaN"),
    (lambda: np.full((5, 28, 28), np.inf, np.float32), "NaN or infinity"),
    (lambda: np.zeros((5, 784)), "image_shape"),
    (lambda: np.zeros(784), "shape"),
    (lambda: np.zeros((2, 2, 2, 2, 2)), "shape"),
])
def test_what_is_no_image_is_refused(estimator, make, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit_transform(make())


@pytest.mark.parametrize("make", [lambda: np.zeros((5, 28, 28), complex), lambda: np.zeros((5, 28, 28), object),
                                  lambda: np.zeros((5, 28, 28), np.float16), lambda: [[object()]]])
def test_what_is_no_number_is_refused(estimator, make):
    with pytest.raises(TypeError, match="float32"):
        estimator.fit(make()).transform(make())


def test_flat_images_need_their_shape_and_keep_it(estimator, digits):
    X = digits[0][:150]
    flat = X.reshape(150, -1)
    estimator.set_params(image_shape=(32, 32)).fit(flat)
    assert estimator.n_features_in_ == 1024
    np.testing.assert_array_equal(estimator.transform(flat), clone(estimator).fit(X).transform(X))
    with pytest.raises(ValueError, match="1000 features.*1024 pixels"):
        estimator.transform(flat[:, :1000])


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1, None])
def test_the_number_of_threads_changes_nothing(estimator, digits, n_jobs):
    X = digits[0][:200]
    one = clone(estimator).set_params(n_jobs=1).fit(X)
    other = clone(estimator).set_params(n_jobs=n_jobs).fit(X)
    for name, value in results(one, X).items():
        np.testing.assert_array_equal(value, results(other, X)[name])


@pytest.mark.parametrize("n_jobs, error", [(0, ValueError), (1.5, TypeError), ("two", TypeError)])
def test_a_wrong_number_of_threads(estimator, digits, n_jobs, error):
    with pytest.raises(error, match="n_jobs"):
        estimator.set_params(n_jobs=n_jobs).fit(digits[0][:50]).transform(digits[0][:50])


@pytest.mark.parametrize("cls", [pssc.PSSC, pssc.USpec])
def test_random_state(cls, digits):
    X = digits[0][:300]
    X = X.reshape(300, -1) if cls is pssc.USpec else X
    fit = lambda state: cls(10, random_state=state).fit(X).labels_
    np.testing.assert_array_equal(fit(3), fit(3))
    np.testing.assert_array_equal(fit(np.random.RandomState(3)), fit(np.random.RandomState(3)))
    assert fit(None).shape == (300,)
    with pytest.raises(ValueError):
        fit(-1)
    with pytest.raises(ValueError):
        fit("seed")
