#pragma once

#include "command_line.hpp"

namespace pssc::command {

// Each adds its command to the program, which runs it when it has been named.
void add_cluster(Command& program,
                 const std::string& command_line);  ///< the line goes into the report
void add_compare(Command& program);
void add_evaluate(Command& program);
void add_explore(Command& program);
void add_export(Command& program);
void add_features(Command& program);
void add_geometry(Command& program);
void add_reproduce(Command& program);
void add_datasets(Command& program);
void add_info(Command& program);
void add_predict(Command& program);

}  // namespace pssc::command
