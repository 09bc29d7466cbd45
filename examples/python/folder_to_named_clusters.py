#!/usr/bin/env python3
"""From a folder of images to named clusters: one folder a cluster, with links to its images, and a page to look at.

    python examples/python/folder_to_named_clusters.py photos/ -k 12 -o sorted/
    # look at sorted/report.html, find names for the clusters, largest first, and say them:
    python examples/python/folder_to_named_clusters.py photos/ -k 12 -o named/ --names cats,dogs,boats
"""
import argparse
from pathlib import Path

import numpy as np

import pssc

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder", type=Path)
parser.add_argument("-k", default="auto", help="how many clusters; unless given, the number is found")
parser.add_argument("-o", "--output", type=Path, default=Path("sorted"))
parser.add_argument("--names", default="", help="of the clusters, largest first, with commas between")
options = parser.parse_args()

model = pssc.PSSC(options.k if options.k == "auto" else int(options.k)).fit(options.folder)

given = [name.strip() for name in options.names.split(",") if name.strip()]
names = given[:model.n_clusters_] + [f"cluster-{c}" for c in range(len(given), model.n_clusters_)]

print(f"{len(model.labels_)} images in {model.n_clusters_} clusters")
for cluster, name in enumerate(names):
    members = np.flatnonzero(model.labels_ == cluster)
    typical = members[np.argsort(-model.confidence_[members])[:3]]
    print(f"  {name:12} {len(members):6} images, confidence {model.confidence_[members].mean():.3f}, typical: "
          + ", ".join(model.ids_[i] for i in typical))
    (options.output / name).mkdir(parents=True, exist_ok=True)
    for i in members:
        link = options.output / name / model.ids_[i].replace("/", "-")
        link.unlink(missing_ok=True)
        link.symlink_to((options.folder / model.ids_[i]).resolve())

page = pssc.report(model, options.folder).save(options.output / "report.html")
model.save(options.output / "model.pssc")  # PSSC.load(...).predict(new_folder) files new images
print(f"look at it: {page}")
