#pragma once

/// Image clustering with no training. The whole library: images -> scattering -> projection -> clusters -> metrics.

#include <pssc/clustering.hpp>
#include <pssc/core/context.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/matrix.hpp>
#include <pssc/evaluation.hpp>
#include <pssc/geometry.hpp>
#include <pssc/images.hpp>
#include <pssc/pipeline.hpp>
#include <pssc/projection.hpp>
#include <pssc/report.hpp>
#include <pssc/scattering.hpp>
