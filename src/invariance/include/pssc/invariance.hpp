#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pssc {

/// A kind of small change that leaves an image what it is. How features move under it is measured, and whitened.
enum class Change {
  shift,       ///< by a thirty-second of the canvas, in four directions
  tilt,        ///< a rotation by 0.12 rad (7 degrees) either way
  scale,       ///< by 1.08 either way
  stretch,     ///< one axis by 1.08, the other by 1 / 1.08
  shear,       ///< by 0.12 along each axis, either way
  thickness,   ///< 0.6 of the image and 0.4 of its local maximum or minimum
  gain,        ///< times 0.8 or 1.2
  colour,      ///< one channel times 0.8 or 1.2; nothing on grey images
  background,  ///< a veil of a tenth of the image's range: even, or rising across either axis
};

/// What may change without making an image another thing.
struct Ignored {
  std::vector<Change> changes;  ///< measured and whitened, in the order of the enumeration
  bool rotate = false;          ///< any angle: features are averaged over rotations
  bool flip = false;            ///< features are averaged over the image and its mirror image

  bool operator==(const Ignored&) const = default;
};

/// The seven kinds from shift to gain.
Ignored ignored_by_default();

/// "none", a list of kinds ("shift,gain"), or changes to the default ("+rotate,-gain"). Throws Error(usage) for an
/// unknown kind and for a mixture of both forms.
Ignored parse_ignored(std::string_view list);

/// The kinds by name; empty for none. `parse_ignored` of them, joined by commas, gives the same.
std::vector<std::string> names_of(const Ignored& ignored);
const char* name_of(Change change);

/// An image on the canvas: planes [channels x size x size].
struct CanvasShape {
  std::size_t size = 32, channels = 1;
  std::size_t numbers() const { return channels * size * size; }
};

/// How many variants a kind has: 2 to 6.
std::size_t variants(Change change);

/// Writes variant v of a changed image. Geometric changes resample bilinearly about the middle and replicate the
/// border.
void apply_change(Change change, std::size_t variant, const CanvasShape& shape, std::span<const float> image,
                  std::span<float> changed);

/// The poses that features are averaged over: the image itself first; with `rotate` 8 angles, with `flip` twice as
/// many.
std::size_t poses(const Ignored& ignored);
void apply_pose(const Ignored& ignored, std::size_t pose, const CanvasShape& shape, std::span<const float> image,
                std::span<float> turned);

/// The middle of an image, `factor` times as large; the canvas stays.
void enlarge_middle(std::size_t factor, const CanvasShape& shape, std::span<const float> image,
                    std::span<float> enlarged);

/// What is done about uneven light before anything is measured.
enum class Contrast {
  none,   ///< nothing
  local,  ///< the light and the contrast around each pixel are evened out
};

/// Evens out light and contrast: of each pixel, how far it is from the mean of the window around it, in units of the
/// spread there; 128 is the mean, and the result lies in 0..255. The channels of a colour image share mean and spread.
void even_contrast(const CanvasShape& shape, std::span<float> image);

}  // namespace pssc
