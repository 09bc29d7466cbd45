#pragma once

#include <CLI/CLI.hpp>

namespace pssc::command {

// Each adds its command to the program, which runs it when it has been named.
void add_cluster(CLI::App& app, const std::string& command_line);  ///< the line goes into the report
void add_evaluate(CLI::App& app);
void add_explore(CLI::App& app);
void add_export(CLI::App& app);
void add_features(CLI::App& app);
void add_geometry(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_datasets(CLI::App& app);
void add_info(CLI::App& app);
void add_predict(CLI::App& app);

}  // namespace pssc::command
