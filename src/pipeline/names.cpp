#include "names.hpp"

namespace pssc {

const char* name_of(Features value) {
  return value == Features::scattering ? "scattering" : "pixels";
}

const char* name_of(Frame value) {
  switch (value) {
    case Frame::automatic:
      return "auto";
    case Frame::black:
      return "black";
    case Frame::none:
      break;
  }
  return "none";
}

const char* name_of(Contrast value) {
  return value == Contrast::local ? "local" : "none";
}

const char* name_of(Equalisation value) {
  switch (value) {
    case Equalisation::maxnorm:
      return "maxnorm";
    case Equalisation::log:
      return "log";
    case Equalisation::none:
      break;
  }
  return "none";
}

const char* name_of(Clusterer value) {
  switch (value) {
    case Clusterer::uspec:
      return "uspec";
    case Clusterer::kmeans:
      return "kmeans";
    case Clusterer::spectral:
      return "spectral";
    case Clusterer::dbscan:
      break;
  }
  return "dbscan";
}

const char* name_of(Search value) {
  return value == Search::exact ? "exact" : "hnsw";
}

const char* name_of(Refinement value) {
  switch (value) {
    case Refinement::none:
      return "none";
    case Refinement::consensus:
      return "consensus";
    case Refinement::ridge:
      break;
  }
  return "ridge";
}

}  // namespace pssc
