#include "command_line.hpp"

#include <pssc/core/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace pssc::command {

Option& Option::shown(const std::string& text) {
  option_->option_text(text);
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::once() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  return *this;
}

Option& Option::above_zero() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& known) {
  option_->check(CLI::IsMember(known));
  return *this;
}

Command Command::add(const std::string& name, const std::string& help) {
  return Command(app_->add_subcommand(name, help));
}

bool Command::was_given() const {
  return app_->parsed();
}

void Command::at_most_one_command() {
  app_->require_subcommand(0, 1);
}

void Command::takes_program_options() {
  app_->fallthrough();
}

void Command::run(const std::function<void()>& what) {
  app_->callback(what);
}

namespace {

/// An argument is shown by its name alone, without CLI11's word for its type.
Option named(CLI::Option* option) {
  if (option->get_positional()) option->type_name("");
  return Option(option);
}

}  // namespace

Option Command::option(const std::string& names, std::string& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::optional<std::string>& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, unsigned& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, int& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::optional<double>& value, const std::string& help) {
  return named(app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return named(app_->add_option(names, values, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

Option Command::option(const std::string& names, const std::function<void(const std::string&)>& take,
                       const std::string& help) {
  return named(app_->add_option_function<std::string>(names, take, help));
}

Option Command::bytes(const std::string& names, std::uint64_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help)->transform(CLI::AsSizeValue(false)));
}

Option Command::count(const std::string& names, std::uint64_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help)->transform(CLI::AsSizeValue(true)));
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

void refuse_choice(const std::string& name, const std::string& text, const std::vector<std::string>& known) {
  throw usage_error(fmt::format("{} cannot be '{}'; it is one of {}", name, text, fmt::join(known, ", ")));
}

namespace {

/// Help in two columns, of which the right one is broken between words.
class WrappedHelp : public CLI::Formatter {
 public:
  WrappedHelp() { column_width(left); }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::stringstream line;
    CLI::detail::format_help(line, command->get_name(), wrapped(command->get_description()), left);
    return line.str();
  }

 private:
  static constexpr std::size_t left = 34, right = 66;

  static std::string wrapped(const std::string& text) {
    std::string lines, word;
    std::size_t length = 0;
    for (std::istringstream words(text); words >> word; length += word.size()) {
      const bool breaks = length > 0 && length + 1 + word.size() > right;
      if (length > 0) lines += breaks ? '\n' : ' ';
      length = breaks || length == 0 ? 0 : length + 1;
      lines += word;
    }
    return lines;
  }
};

}  // namespace

Program::Program(const std::string& what, const std::string& name, const std::string& version,
                 const std::string& footer)
    : app_(std::make_unique<CLI::App>(what, name)), commands_(app_.get()) {
  app_->set_version_flag("--version", version);
  app_->set_config("--config", "", "Read options from this file: a section [cluster], with lines such as scales = 3");
  app_->require_subcommand(1);
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_->formatter(std::make_shared<WrappedHelp>());
  app_->footer(footer);
}

Program::~Program() = default;

void Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help) {
    app_->exit(help);
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    std::replace(line.begin(), line.end(), '\n',
                 ' ');  // CLI11's message can run over several lines; an error
                        // here is one
    throw usage_error(line + "; see 'pssc --help'");
  }
}

}  // namespace pssc::command
