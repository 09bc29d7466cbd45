#include "document.hpp"

namespace pssc::reproduction {

Json remarks() {
  return {
      {"results", Json::array()},
      {"differences", Json::array()},
  };
}

}  // namespace pssc::reproduction
