// How what a run finds and keeps becomes bytes, for model.pssc, for stages that are kept, and for other ranks.
#pragma once

#include "map.hpp"
#include "model.hpp"

#include <pssc/core/archive.hpp>

namespace pssc {

template <class Archive>
void transfer(Archive& a, Equaliser& e) {
  a(e.kind), a(e.path_length);
  transfer(a, e.scale);
}

template <class Archive>
void transfer(Archive& a, Projection& p) {
  transfer(a, p.mean);
  transfer(a, p.directions);
  transfer(a, p.variances);
  a(p.total_variance);
}

template <class Archive>
void transfer(Archive& a, GraphRule& g) {
  a(g.search), a(g.neighbours), a(g.as_published_code), a(g.width);
  transfer(a, g.representatives);
  transfer(a, g.eigenvectors);
  transfer(a, g.centres);
  transfer(a, g.shares);
}

template <class Archive>
void transfer(Archive& a, RidgeRule& r) {
  a(r.width), a(r.temperature);
  transfer(a, r.representatives);
  transfer(a, r.weights);
}

template <class Archive>
void transfer(Archive& a, ClusterRule& r) {
  a(r.dropped);
  transfer(a, r.whitening);
  transfer(a, r.graph, [&](GraphRule& g) { transfer(a, g); });
  transfer(a, r.centres);
  transfer(a, r.ridge, [&](RidgeRule& ridge) { transfer(a, ridge); });
  transfer(a, r.means);
  transfer(a, r.limits);
  transfer(a, r.renamed);
  a(r.clusters);
}

template <class Archive>
void transfer(Archive& a, Ignored& ignored) {
  transfer(a, ignored.changes);
  a(ignored.rotate), a(ignored.flip);
}

template <class Archive>
void transfer(Archive& a, MapRule& map) {
  transfer(a, map.means);
  transfer(a, map.directions);
  transfer(a, map.centres);
  transfer(a, map.radii);
}

template <class Archive>
void transfer(Archive& a, Clustering& c) {
  transfer(a, c.labels);
  transfer(a, c.confidence);
  transfer(a, c.outliers);
  transfer(a, c.distances);
  a(c.clusters);
  transfer(a, c.stability);
  transfer(a, c.eigenvalues);
  transfer(a, c.counts, [&](ClusterCount& count) { a(count.clusters), a(count.score); });
  transfer(a, c.notes, [&](std::string& note) { transfer(a, note); });
}

template <class Archive>
void transfer(Archive& a, ClusterTree& tree) {
  transfer(a, tree.pieces, [&](ClusterTree::Piece& piece) {
    a(piece.size);
    transfer(a, piece.images);
  });
  transfer(a, tree.joins, [&](ClusterTree::Join& join) { a(join.one), a(join.other), a(join.tie); });
}

template <class Archive>
void transfer(Archive& a, CountVerdict& verdict) {
  a(verdict.clear);
  a(verdict.unrestricted);
  transfer(a, verdict.counts, [&](ClusterCount& count) { a(count.clusters), a(count.score); });
}

template <class Archive>
void transfer(Archive& a, Move& move) {
  a(move.change), a(move.size);
}

template <class Archive>
void transfer(Archive& a, RemovedDirection& d) {
  a(d.variance_share);
  transfer(a, d.low, [&](std::string& id) { transfer(a, id); });
  transfer(a, d.high, [&](std::string& id) { transfer(a, id); });
  transfer(a, d.strip);
}

template <class Archive>
void transfer(Archive& a, BrokenImage& b) {
  a(b.index);
  transfer(a, b.id);
  transfer(a, b.reason);
}

template <class Archive>
void transfer(Archive& a, StageTime& t) {
  transfer(a, t.stage);
  a(t.seconds);
}

}  // namespace pssc
