#pragma once

namespace pssc {

/// Where the process may take so much address space and no more (ulimit -v), has OpenBLAS take what it needs for so
/// many threads now. It would later wait forever for memory that is not to be had. Throws Error(failed) where it is too
/// much.
void reserve_blas_memory(unsigned threads);

}  // namespace pssc
