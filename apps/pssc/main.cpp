// pssc: image clustering with no training. Parses, calls the library, prints; exit codes are those of pssc::ErrorKind.
#include "commands.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/folder_lock.hpp>
#include <pssc/distributed.hpp>
#include <pssc/pssc.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace {

bool on_terminal = false;  ///< where a line of progress may stand

/// Ctrl-C and friends: nothing half-written stays, and the shell sees the signal.
extern "C" void stop(int signal) {
  const bool told = pssc::distributed::told_why_stopped();
  pssc::OutputFile::remove_unfinished();
  const std::string_view line = pssc::Checkpoints::release_on_signal()
                                    ? "\npssc: stopped; the same command goes on from here\n"
                                    : "\npssc: stopped\n";
  pssc::FolderLock::release_on_signal();
  const std::string_view shown = line.substr(on_terminal ? 0 : 1);  // the first ends the line of progress
  if (!told) static_cast<void>(!write(STDERR_FILENO, shown.data(), shown.size()));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void say(const std::string& message) {
  std::fprintf(stderr, "pssc: %s\n", message.c_str());  // nobody may be reading it: no reason to fail otherwise
}

/// Once, however many ranks there are.
int report(const std::string& message, int code) {
  pssc::distributed::fail(code, say, message);
  return code;
}

/// The line that repeats this run, quoted where a shell would need it.
std::string command_line(int argc, char** argv) {
  std::string line = "pssc";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool plain = !argument.empty() && argument.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                "-_=+,./:@%") == std::string::npos;
    line += ' ';
    if (plain) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

constexpr const char* footer =
    "Examples:\n"
    "  pssc cluster photos/ -k 10 -o result     cluster a folder of images\n"
    "  pssc cluster mnist-test -k 10            cluster a known data set and print the accuracy\n"
    "  pssc explore result                      look through the clusters, name and correct them\n"
    "  pssc evaluate result/labels.csv truth.csv\n"
    "  mpirun -n 8 pssc cluster digits.npy -k 10 -o result     the same labels from 8 processes\n"
    "  pssc COMMAND --help                      show every option of a command\n\n"
    "Exit codes: 0 done, 1 the run failed, 2 the command or an option is wrong, 3 the input is unusable.";

void run(int argc, char** argv) {
  using namespace pssc::command;
  Program program("Image clustering with no training: sorts a folder of small images into clusters.", "pssc",
                  pssc::version(), footer);
  Command& commands = program.commands();
  add_cluster(commands, command_line(argc, argv));
  add_compare(commands);
  add_evaluate(commands);
  add_explore(commands);
  add_export(commands);
  add_features(commands);
  add_geometry(commands);
  add_reproduce(commands);
  add_datasets(commands);
  add_info(commands);
  add_predict(commands);
  program.parse(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  on_terminal = isatty(STDERR_FILENO) == 1;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, stop);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, as a full disk is
  try {
    run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return report(fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                    static_cast<int>(pssc::ErrorKind::failed));
    pssc::distributed::finish();
    return 0;
  } catch (const pssc::Error& error) {
    return report(error.what(), static_cast<int>(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("out of memory; lower --memory, --size or --pca-dims", static_cast<int>(pssc::ErrorKind::failed));
  } catch (const std::exception& error) {
    return report(error.what(), static_cast<int>(pssc::ErrorKind::failed));
  }
}
