"""Clustering of images: the same labels as the command's, byte for byte, from whatever holds the images."""
import json
import pickle

import numpy as np
import pytest
from conftest import load, npy_bytes, write_pgm
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import pssc
from pssc.metrics import clustering_accuracy


@pytest.mark.parametrize("parameters, options", [
    ({}, []), ({"random_state": 7}, ["--seed", 7]), ({"preset": "paper"}, ["--preset", "paper"]),
    ({"preset": "authors"}, ["--preset", "authors"]), ({"size": 24, "scales": 2}, ["--size", 24, "--scales", 2]),
    ({"features": "pixels", "clusterer": "kmeans"}, ["--features", "pixels", "--clusterer", "kmeans"]),
    ({"ignore": ("+flip", "-gain")}, ["--ignore", "+flip,-gain"]), ({"contrast": "local"}, ["--contrast", "local"]),
    ({"refine": "consensus", "representatives": 150, "neighbours": 4},
     ["--refine", "consensus", "--representatives", 150, "--neighbours", 4]),
    ({"poc_dims": "auto", "refine": "none", "equalise": "maxnorm", "pca_dims": 40},
     ["--poc-dims", "auto", "--refine", "none", "--equalise", "maxnorm", "--pca-dims", 40]),
    ({"fit_images": 300, "sample_images": 200}, ["--fit-images", 300, "--sample-images", 200]),
    ({"clusterer": "spectral", "memory_limit": "1GiB"}, ["--clusterer", "spectral", "--memory", "1GiB"]),
])
def test_labels_are_the_commands(digits, command_labels, tmp_path, parameters, options):
    np.save(tmp_path / "x.npy", digits[0])
    expected = command_labels(tmp_path / "x.npy", "-k", 10, *options)
    labels = pssc.PSSC(10, **parameters).fit_predict(digits[0])
    assert npy_bytes(labels, tmp_path) == expected


def test_the_number_of_clusters_is_found_as_the_command_finds_it(digits, command_labels, tmp_path):
    np.save(tmp_path / "x.npy", digits[0])
    model = pssc.PSSC("auto", k_range=(2, 12)).fit(digits[0])
    assert npy_bytes(model.labels_, tmp_path) == command_labels(tmp_path / "x.npy", "-k", "auto", "--k-range", "2:12")
    assert model.n_clusters_ == model.k_candidates_[0][0] == len(set(model.labels_))


def test_dbscan_needs_no_number(digits, command_labels, tmp_path):
    np.save(tmp_path / "x.npy", digits[0])
    model = pssc.PSSC(clusterer="dbscan", features="pixels").fit(digits[0])
    assert npy_bytes(model.labels_, tmp_path) == command_labels(tmp_path / "x.npy", "--clusterer", "dbscan", "--features",
                                                                "pixels")


def test_colour(command_labels, tmp_path):
    X = np.random.RandomState(0).randint(0, 256, (60, 20, 20, 3), dtype=np.uint8)
    X[:30, :, :, 0] //= 4
    np.save(tmp_path / "x.npy", X)
    for colour in ("grey", "channels"):
        expected = command_labels(tmp_path / "x.npy", "-k", 2, "--colour", colour)
        assert npy_bytes(pssc.PSSC(2, colour=colour).fit_predict(X), tmp_path) == expected


def discs(count):
    """Red and green discs of any size, equally bright: in grey they are all alike."""
    random = np.random.RandomState(3)
    X, target = np.zeros((count, 40, 40, 3), np.uint8), np.arange(count) % 2
    y, x = np.mgrid[:40, :40]
    for image, kind in zip(X, target):
        inside = np.hypot(y - random.uniform(17, 22), x - random.uniform(17, 22)) < random.uniform(6, 15)
        image[inside, kind] = (220, 112)[kind]
    return X, target


def test_what_does_not_matter_is_found_out_as_the_command_finds_it(command_labels, tmp_path):
    X, target = discs(200)
    np.save(tmp_path / "x.npy", X)
    expected = command_labels(tmp_path / "x.npy", "-k", 2, "--adapt")
    model = pssc.PSSC(2, adapt=True).fit(X)
    assert npy_bytes(model.labels_, tmp_path) == expected
    chosen = model.adapted_["candidates"][model.adapted_["chosen"]]
    assert "--colour channels" in chosen["options"] and chosen["stability"] > 0.9
    assert clustering_accuracy(target, model.labels_) == 1 and model.summary_["input"]["channels"] == 3
    # The estimator sees images as they were seen, whatever its parameters leave open.
    assert (model.predict(X) == model.labels_).mean() > 0.99
    assert pssc.report(model, X)
    assert pickle.loads(pickle.dumps(model)).adapted_ == model.adapted_


def test_each_can_be_left_open_by_itself(command_labels, tmp_path):
    X, _ = discs(100)
    np.save(tmp_path / "x.npy", X)
    for parameters, options in [({"colour": "auto"}, ["--colour", "auto"]), ({"ignore": "auto"}, ["--ignore", "auto"]),
                                ({"size": "auto", "contrast": "auto"}, ["--size", "auto", "--contrast", "auto"])]:
        model = pssc.PSSC(2, **parameters).fit(X)
        assert npy_bytes(model.labels_, tmp_path) == command_labels(tmp_path / "x.npy", "-k", 2, *options)
    assert {c["options"] for c in model.adapted_["candidates"]} == {"", "--size 64", "--contrast local"}
    given = pssc.PSSC(2, adapt=True, size=32, colour="grey", contrast="none", ignore="+flip").fit(X)
    assert given.adapted_ is None
    with pytest.raises(ValueError, match="default method"):
        pssc.PSSC(2, adapt=True, preset="paper").fit(X)


def test_small_photos_fill_the_canvas_as_the_commands_do(command_labels, tmp_path):
    X = np.random.RandomState(0).randint(60, 200, (80, 20, 20), dtype=np.uint8)
    X[:40, 5:15, 5:15] += 50
    np.save(tmp_path / "x.npy", X)
    for preset, frame in (("tuned", "none"), ("paper", "black")):
        expected = command_labels(tmp_path / "x.npy", "-k", 2, "--preset", preset)
        model = pssc.PSSC(2, preset=preset)
        assert npy_bytes(model.fit_predict(X), tmp_path) == expected
        assert model.summary_["input"]["frame"] == model.model_.frame == frame
        assert npy_bytes(model.predict(X), tmp_path) == expected
        model.save(tmp_path / "model.pssc")
        assert npy_bytes(pssc.PSSC.load(tmp_path / "model.pssc").predict(X), tmp_path) == expected
        assert pssc.report(model, X)


def test_what_is_learned(fitted, digits):
    n = len(digits[0])
    assert fitted.labels_.dtype == np.int32 and fitted.confidence_.dtype == np.float32
    assert fitted.outliers_.dtype == bool
    assert fitted.labels_.shape == fitted.confidence_.shape == fitted.outliers_.shape == (n,)
    assert 0 <= fitted.confidence_.min() and fitted.confidence_.max() <= 1
    assert fitted.n_clusters_ == 10
    assert fitted.eigenvalues_[0] == pytest.approx(1, abs=1e-6) and (np.diff(fitted.eigenvalues_) <= 1e-9).all()
    assert [type(k) for k, _ in fitted.k_candidates_] == [int] * len(fitted.k_candidates_)
    assert fitted.map_.shape == (n, 2) and not fitted.skipped_
    assert fitted.ids_[:3] == ["0", "1", "2"]
    assert clustering_accuracy(digits[1], fitted.labels_) > 0.75
    sizes = np.bincount(fitted.labels_)
    assert (np.diff(sizes) <= 0).all() and sizes.tolist() == fitted.summary_["cluster_sizes"]
    assert fitted.summary_["parameters"]["clusters"] == 10 and fitted.summary_["input"]["count"] == n


def test_labels_may_be_written_to(digits):
    model = pssc.PSSC(5).fit(digits[0][:100])
    model.labels_[:] = 77
    assert pssc.report(model, digits[0][:100])  # the run is not harmed


@pytest.mark.parametrize("parameters", [{}, {"refine": "consensus"}, {"preset": "paper"}, {"knn": "hnsw", "preset": "paper"},
                                        {"clusterer": "kmeans", "refine": "none"}])
def test_placing_is_what_the_run_did(digits, parameters):
    X = digits[0]
    model = pssc.PSSC(10, **parameters).fit(X)
    probabilities = model.predict_proba(X)
    assert (model.predict(X) == model.labels_).mean() > 0.99
    assert probabilities.shape == (len(X), 10) and probabilities.dtype == np.float32
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert probabilities.min() >= 0
    assert (probabilities.argmax(axis=1) == model.labels_).mean() > 0.95
    if parameters.get("clusterer") == "kmeans":
        with pytest.raises(ValueError, match="no graph"):
            model.transform(X)
    else:
        own = probabilities[np.arange(len(X)), model.labels_]
        if parameters.get("preset") == "paper":
            np.testing.assert_allclose(np.where(model.outliers_, own, model.confidence_), own, atol=1e-3)
        else:  # the run judges each of its images by a model that has not seen it
            assert model.confidence_.mean() < own.mean() + 1e-3
            assert np.corrcoef(model.confidence_, own)[0, 1] > 0.5
        embedding = model.transform(X)
        assert embedding.shape == (len(X), 10)
        np.testing.assert_allclose((embedding**2).sum(axis=1), 1, atol=1e-4)


def test_the_embedding_parts_the_clusters(fitted, digits):
    from sklearn.cluster import KMeans
    labels = KMeans(10, n_init=10, random_state=0).fit_predict(fitted.transform(digits[0]))
    assert clustering_accuracy(digits[1], labels) > 0.75


def test_new_images_of_another_size_and_type(fitted):
    big, target = pssc.datasets.load_synthetic(300, size=64, random_state=5, return_X_y=True)
    assert clustering_accuracy(target, fitted.predict((big / 255).astype(np.float64))) > 0.75


def test_clusterers_that_cannot_place(digits):
    model = pssc.PSSC(3, clusterer="spectral", refine="none").fit(digits[0][:80])
    assert model.model_ is None
    for method in (model.predict, model.predict_proba, model.transform):
        with pytest.raises(ValueError, match="spectral cannot place"):
            method(digits[0])


def test_folders_lists_and_names(digits, command, command_labels, tmp_path):
    folder = tmp_path / "photos"
    for i, (image, label) in enumerate(zip(digits[0][:120], digits[1])):
        write_pgm(folder / str(label) / f"{i:04}.pgm", image)
    expected = command_labels(folder, "-k", 10)
    by_folder = pssc.PSSC(10).fit(folder)
    assert npy_bytes(by_folder.labels_, tmp_path) == expected
    assert by_folder.ids_[0].startswith("0/") and by_folder.summary_["metrics"]["accuracy"] > 0.5
    paths = [folder / name for name in by_folder.ids_]
    for listed in (paths, [str(p) for p in paths], np.array([str(p) for p in paths])):
        by_list = pssc.PSSC(10).fit(listed)
        assert npy_bytes(by_list.labels_, tmp_path) == expected
    np.testing.assert_array_equal(by_list.predict(paths[:5]), by_list.labels_[:5])
    assert npy_bytes(pssc.PSSC(10).fit_predict("synthetic:200"), tmp_path) == command_labels("synthetic:200", "-k", 10)


def test_images_that_cannot_be_read_are_named_and_keep_their_place(digits, tmp_path):
    paths = []
    for i, image in enumerate(digits[0][:60]):
        paths.append(tmp_path / f"{i:02}.pgm")
        write_pgm(paths[-1], image)
    paths[7].write_bytes(b"no image")
    with pytest.warns(UserWarning, match="1 of 60 images could not be read.*07.pgm"):
        model = pssc.PSSC(4).fit(paths)
    assert model.labels_.shape == (60,) and model.labels_[7] == -1 and (np.delete(model.labels_, 7) >= 0).all()
    assert model.confidence_[7] == 0 and model.outliers_[7]
    assert model.skipped_[0][:2] == (7, str(paths[7])) and model.ids_[7] == str(paths[7])
    with pytest.warns(UserWarning, match="could not be read"):
        labels = model.predict(paths)
    with pytest.warns(UserWarning):
        probabilities = model.predict_proba(paths)
    np.testing.assert_array_equal(labels, model.labels_)
    assert np.isnan(probabilities[7]).all() and np.isfinite(np.delete(probabilities, 7, axis=0)).all()


def test_save_and_load(fitted, digits, command, tmp_path):
    fitted.save(tmp_path / "model.pssc")
    loaded = pssc.PSSC.load(tmp_path / "model.pssc")
    for name in ("predict", "predict_proba", "transform"):
        np.testing.assert_array_equal(getattr(loaded, name)(digits[0]), getattr(fitted, name)(digits[0]))
    loaded.save(tmp_path / "again.pssc")
    assert (tmp_path / "again.pssc").read_bytes() == (tmp_path / "model.pssc").read_bytes()
    # The command reads it too, and writes what load reads.
    np.save(tmp_path / "x.npy", digits[0])
    done = command("predict", tmp_path / "model.pssc", tmp_path / "x.npy")
    placed = [int(line.split(",")[1]) for line in done.stdout.splitlines()[1:]]
    np.testing.assert_array_equal(placed, fitted.predict(digits[0]))
    assert pssc.PSSC.load(tmp_path / "model.pssc", image_shape=(32, 32)).predict(digits[0][:3].reshape(3, -1)).shape == (3,)


def test_write_is_the_commands_output(digits, tmp_path):
    model = pssc.PSSC(10).fit(digits[0])
    model.write(tmp_path / "run", digits[0])
    assert {p.name for p in (tmp_path / "run").iterdir()} == {"labels.csv", "labels.npy", "summary.json", "model.pssc",
                                                               "explore.pssc", "report.html"}
    np.testing.assert_array_equal(np.load(tmp_path / "run" / "labels.npy"), model.labels_)
    assert json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["clusters"] == 10


def test_write_replaces_nothing_that_a_person_has_edited(fitted, digits, tmp_path):
    folder = tmp_path / "run"
    fitted.write(folder, digits[0])
    labels = (folder / "labels.csv").read_bytes()
    (folder / "edits.jsonl").write_text('{"do":"name","cluster":0,"name":"mine"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="holds a person's edits"):
        fitted.write(folder, digits[0])
    assert (folder / "labels.csv").read_bytes() == labels


def test_pickles_of_any_protocol(fitted, digits):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(fitted, protocol))
        np.testing.assert_array_equal(copy.predict(digits[0][:50]), fitted.predict(digits[0][:50]))
    with pytest.raises(ValueError, match="does not travel"):
        pssc.report(copy, digits[0])


def test_pipeline(digits):
    pipeline = make_pipeline(FunctionTransformer(lambda X: 255 - X), pssc.PSSC(10))
    labels = pipeline.fit_predict(255 - digits[0])
    np.testing.assert_array_equal(labels, pssc.PSSC(10).fit_predict(digits[0]))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(digits, n_jobs):
    search = GridSearchCV(pssc.PSSC(10), {"n_clusters": [2, 10]}, scoring=make_scorer(clustering_accuracy), cv=2,
                          n_jobs=n_jobs)
    search.fit(*digits)
    assert search.best_params_ == {"n_clusters": 10} and search.best_score_ > 0.7


@pytest.mark.slow
def test_mnist_as_the_command_has_it(command_labels, tmp_path):
    X, target = load("mnist", subset="test")
    labels = pssc.PSSC(10).fit_predict(X)
    assert npy_bytes(labels, tmp_path) == command_labels("mnist-test", "-k", 10)
    assert clustering_accuracy(target, labels) > 0.985
