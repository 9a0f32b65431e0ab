// Starts a child with pipes and serves all three at once, so that neither side can block for ever.
#include "support/subprocess.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wgk::test {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const ProcessOptions& options, int in, int out,
                         int err) {
  if (!options.stdout_file.empty()) out = ::open(options.stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) ::_exit(127);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

/// Reads what is there; false at the end of the stream.
bool drain(int end, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t n = ::read(end, buffer.data(), buffer.size());
  if (n <= 0) return n < 0 && errno == EINTR;
  into.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

void serve(int in, int out, int err, const std::string& input, ProcessResult& result) {
  std::size_t sent = 0;
  if (input.empty()) close_end(in);
  while (out >= 0 || err >= 0) {
    std::array<pollfd, 3> fds{pollfd{in, POLLOUT, 0}, pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    if (in >= 0 && fds[0].revents != 0) {
      const ssize_t n = ::write(in, input.data() + sent, input.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      if (n <= 0 || sent == input.size()) close_end(in);
    }
    if (out >= 0 && fds[1].revents != 0 && !drain(out, result.out)) close_end(out);
    if (err >= 0 && fds[2].revents != 0 && !drain(err, result.err)) close_end(err);
  }
  close_end(in);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a child that does not read its input must not end the test program
  ProcessResult result;
  Pipe in, out, err;
  if (!in.open() || !out.open() || !err.open()) return result;
  const pid_t child = ::fork();
  if (child < 0) return result;
  if (child == 0) become(arguments, options, in.read_end, out.write_end, err.write_end);
  close_end(in.read_end);
  close_end(out.write_end);
  close_end(err.write_end);
  serve(in.write_end, out.read_end, err.read_end, options.input, result);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace wgk::test
