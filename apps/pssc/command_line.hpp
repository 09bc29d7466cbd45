#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pssc::command {

// The command line, parsed by CLI11. That takes seconds to compile in each file
// that sees it, so only command_line.cpp does.

/// One option or argument of a command. All may be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// What --help shows after the name, such as "N (300; 1000)"; empty: nothing.
  Option& shown(const std::string& text);
  /// The heading of --help that it stands under.
  Option& group(const std::string& heading);
  Option& required();
  /// It cannot be given twice; of other options the last one counts.
  Option& once();
  Option& above_zero();
  Option& range(int least, int most);
  Option& one_of(const std::vector<std::string>& known);

 private:
  CLI::Option* option_;
};

/// A command, or a command of a command. What is bound to a variable is there
/// when `run` is called.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add(const std::string& name, const std::string& help);
  bool was_given() const;
  /// At most one of the commands added to this one may be given.
  void at_most_one_command();
  /// Options of the program itself may stand behind those of this command.
  void takes_program_options();
  void run(const std::function<void()>& what);

  Option option(const std::string& names, std::string& value, const std::string& help);
  Option option(const std::string& names, std::optional<std::string>& value, const std::string& help);
  Option option(const std::string& names, std::uint64_t& value, const std::string& help);
  Option option(const std::string& names, unsigned& value, const std::string& help);
  Option option(const std::string& names, int& value, const std::string& help);
  Option option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& help);
  Option option(const std::string& names, std::optional<double>& value, const std::string& help);
  /// Keeps all that are given.
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option option(const std::string& names, const std::function<void(const std::string&)>& take, const std::string& help);
  /// Bytes: 2GiB, 2GB and 2G are all 2^31.
  Option bytes(const std::string& names, std::uint64_t& value, const std::string& help);
  /// A number such as 100M, which is 100,000,000.
  Option count(const std::string& names, std::uint64_t& value, const std::string& help);
  Option flag(const std::string& names, bool& value, const std::string& help);

 private:
  CLI::App* app_;
};

/// Throws Error(usage): `text` is not among the keys.
[[noreturn]] void refuse_choice(const std::string& name, const std::string& text,
                                const std::vector<std::string>& known);

/// An option that takes one of a few words, each of which stands for a value.
template <class T>
Option add_choice(Command& command, const std::string& name, std::optional<T>& value,
                  const std::map<std::string, T>& choices, const std::string& help) {
  return command.option(
      name,
      [&value, choices, name](const std::string& text) {
        const auto found = choices.find(text);
        if (found != choices.end()) {
          value = found->second;
          return;
        }
        std::vector<std::string> known;
        for (const auto& [key, unused] : choices) known.push_back(key);
        refuse_choice(name, text, known);
      },
      help);
}

/// The whole command line.
class Program {
 public:
  Program(const std::string& what, const std::string& name, const std::string& version, const std::string& footer);
  ~Program();

  Command& commands() { return commands_; }
  /// Runs the command that was given. Throws Error(usage), in one line, where
  /// the command line is wrong.
  void parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Command commands_;
};

}  // namespace pssc::command
