"""How calls run: without the interpreter's lock, stopped by Ctrl-C, on several threads, after a fork, without leaks."""
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pssc


def test_the_lock_is_released(digits):
    """Another thread of Python goes on counting while a fit runs."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    X = np.concatenate([digits[0]] * 3)
    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    pssc.PSSC(10, n_jobs=1).fit(X)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 10, f"{during} steps"


interrupted = """
    import os, signal, sys, threading, time
    import numpy as np, pssc
    {setup}
    print("begin", flush=True)
    try:
        {call}
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    print(len(pssc.PSSC(3).fit(np.random.RandomState(0).randint(0, 255, (50, 16, 16))).labels_))  # still usable
"""


def processor_seconds(pid):
    """The time that a process has computed for, on all of its threads, however busy the machine is."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("setup, call", [
    ("X = np.random.RandomState(0).randint(0, 256, (200_000, 32, 32), dtype=np.uint8)", "pssc.PSSC(10).fit(X)"),
    ("X = np.random.RandomState(0).standard_normal((400_000, 300)).astype(np.float32)",
     "pssc.USpec(10, representatives=4000, candidates=400_000).fit(X)"),
    ("X = np.zeros((300_000, 32, 32), np.uint8)", "pssc.ScatteringTransform(3, order=1).fit_transform(X)"),
], ids=["PSSC", "USpec", "ScatteringTransform"])
def test_ctrl_c_stops_a_run(setup, call):
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(interrupted).format(setup=setup, call=call)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begin\n"
    begun = processor_seconds(process.pid)
    while processor_seconds(process.pid) < begun + 0.7:  # amid the work
        time.sleep(0.01)
    sent = processor_seconds(process.pid)
    process.send_signal(signal.SIGINT)
    line = process.stdout.readline()
    worked = processor_seconds(process.pid) - sent
    rest = process.stdout.read()  # and not communicate(), which loses what readline() has taken from the pipe already
    errors = process.stderr.read()
    process.wait(timeout=300)
    assert line.startswith("stopped"), line + errors
    assert worked < 5, f"{worked:.1f} s of work went on"
    assert process.returncode == 0 and rest.strip() == "50", errors


def test_other_signals_and_exceptions_in_progress(digits):
    def fail(stage, done, total):
        raise RuntimeError(f"no {stage}")

    with pytest.raises(RuntimeError, match="^no "):
        pssc.PSSC(10, verbose=fail).fit(digits[0])
    X = np.random.rand(100_000, 300)
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("enough")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError, match="enough"):
            pssc.USpec(10, candidates=100_000, representatives=4000).fit(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_progress_is_told(digits):
    seen = []
    pssc.PSSC(10, verbose=lambda *step: seen.append(step)).fit(digits[0])
    stages = {stage for stage, _, _ in seen}
    assert len(stages) >= 4 and all(0 <= done <= max(done, total) for _, done, total in seen)
    assert all(isinstance(stage, str) and isinstance(done, int) for stage, done, _ in seen)
    assert threading.current_thread() is threading.main_thread()


def test_progress_through_tqdm(digits, capfd):
    pytest.importorskip("tqdm", reason="skipped: no tqdm")
    pssc.PSSC(10, verbose=True).fit(digits[0])
    out, err = capfd.readouterr()
    assert out == "" and "scattering" in err
    pssc.PSSC(10).fit(digits[0])
    assert capfd.readouterr() == ("", "")


def test_without_tqdm_it_is_said(digits, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="tqdm, which is not installed"):
        pssc.USpec(2, verbose=True).fit(digits[0][:50].reshape(50, -1))


def test_several_threads_at_once(digits):
    X = digits[0]
    expected = [pssc.PSSC(10, random_state=seed).fit_predict(X) for seed in range(4)]
    shared = pssc.PSSC(10).fit(X)
    with ThreadPoolExecutor(4) as pool:
        fits = list(pool.map(lambda seed: pssc.PSSC(10, random_state=seed, n_jobs=2).fit_predict(X), range(4)))
        placed = list(pool.map(lambda _: shared.predict(X), range(8)))
    for one, other in zip(fits, expected):
        np.testing.assert_array_equal(one, other)
    for labels in placed:
        np.testing.assert_array_equal(labels, placed[0])


def in_child(X, model, queue):
    queue.put((pssc.PSSC(10).fit_predict(X), model.predict(X), float((np.ones((300, 300)) @ np.ones((300, 300)))[0, 0])))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(digits, method):
    """A fit before the fork, a fit after it, and one that is going on in another thread meanwhile."""
    X = digits[0]
    model = pssc.PSSC(10).fit(X)
    busy = threading.Thread(target=lambda: pssc.PSSC(10).fit(np.concatenate([X] * 3)))
    busy.start()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=in_child, args=(X, model, queue)) for _ in range(2)]
    for child in children:
        child.start()
    for _ in children:
        fitted, placed, product = queue.get(timeout=120)
        np.testing.assert_array_equal(fitted, model.labels_)
        np.testing.assert_array_equal(placed, model.predict(X))
        assert product == 300
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    busy.join()


def test_numpy_keeps_its_threads(digits):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    counts = lambda: [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    before = counts()
    seen = []
    pssc.PSSC(10, verbose=lambda *_: seen.append(counts())).fit(digits[0])
    assert before == counts() and len(before) > 0
    with pytest.raises(ValueError):
        pssc.PSSC(10_000).fit(digits[0])
    assert before == counts()


def test_joblib_workers_share_the_cores(monkeypatch):
    from pssc._common import threads_of
    cores = len(os.sched_getaffinity(0))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads_of(None) == threads_of(-1) == cores and threads_of(3) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads_of(None) == 1 and threads_of(-1) == cores


def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["PSSC", "USpec", "stages", "errors"])
def test_a_thousand_fits_leak_nothing(digits, what):
    X = digits[0][:40, 8:24, 8:24].copy()
    flat = X.reshape(40, -1).astype(np.float32)
    labels = np.arange(40) % 3

    def once():
        if what == "PSSC":
            model = pssc.PSSC(3, size=16, scales=1, order=1, pca_dims=20, n_jobs=2).fit(X)
            model.predict(X), model.predict_proba(X), model.transform(X)
        elif what == "USpec":
            model = pssc.USpec(3, n_init=2, n_jobs=2).fit(flat)
            model.predict(flat), model.embed(flat)
        elif what == "stages":
            pssc.ScatteringTransform(1, n_jobs=2).fit_transform(X)
            pssc.POC(n_jobs=2).fit_transform(flat)
            pssc.WithinClusterWhitening(n_jobs=2).fit(flat, labels).transform(flat)
        else:
            for call in (lambda: pssc.PSSC(90, size=16, scales=1, order=1).fit(X),
                         lambda: pssc.PSSC(2).fit("/no/such"), lambda: pssc.PSSC(1).fit(X)):
                with pytest.raises((ValueError, OSError)):
                    call()

    for _ in range(100):  # what is made once, and the allocator's own stores
        once()
    before = resident()
    for _ in range(1000):
        once()
    grown = resident() - before
    assert grown < 6e6, f"{grown / 1e6:.1f} MB more after 1,000"


def test_arrays_outlive_what_made_them(digits):
    model = pssc.PSSC(10).fit(digits[0])
    kept, copies = [model.map_, model.labels_, model.transform(digits[0])], []
    copies = [array.copy() for array in kept]
    del model
    pssc.PSSC(10).fit(digits[0])
    for array, copy in zip(kept, copies):
        np.testing.assert_array_equal(array, copy)


def test_no_warnings_on_import():
    done = subprocess.run([sys.executable, "-W", "error", "-c", "import pssc; print(pssc.__version__)"], capture_output=True,
                          text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
