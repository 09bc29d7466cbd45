#include "server.hpp"

#include "guard.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <memory>
#include <string_view>

namespace pssc::explorer {

namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t largest_request = std::size_t{32} << 20;  // bytes: an image, or a move of millions of images
constexpr int first_port = 8757;                                // tried before any that is free

std::size_t number_from(std::string_view text, const char* what) {
  std::size_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw usage_error(fmt::format("{} must be a number", what));
  return value;
}

std::size_t number_in(const Request& request, const char* name) {
  return number_from(request.get_param_value(name), name);
}

/// "3,17,4"
std::vector<std::size_t> rows_in(const Request& request) {
  std::vector<std::size_t> rows;
  const std::string text = request.get_param_value("rows");
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    rows.push_back(number_from(std::string_view(text).substr(begin, end - begin), "rows"));
  }
  return rows;
}

std::string in_json(const std::string& message) {
  return nlohmann::json{{"error", message}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void refuse(Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(in_json(message), "application/json");
}

/// Refuses a request whose body may still be on its way, and closes the connection: the next request would be read from
/// the middle of that body. The library closes a connection when content cannot be sent, so the last piece claims that.
void refuse_and_close(Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_header("Connection", "close");
  const std::string body = in_json(message);
  response.set_content_provider(body.size(), "application/json",
                                [body](std::size_t at, std::size_t count, httplib::DataSink& sink) {
                                  sink.write(body.data() + at, count);
                                  return at + count < body.size();
                                });
}

int status_of(ErrorKind kind) {
  return kind == ErrorKind::usage ? 400 : kind == ErrorKind::input ? 422 : 500;
}

/// An answer, or the error in its place.
template <class Answer>
httplib::Server::Handler answering(const char* type, Answer answer) {
  return [type, answer](const Request& request, Response& response) {
    try {
      // Handed over piece by piece, because whole contents are compressed first: 3 s for the page, 7 ms as it is.
      const auto content = std::make_shared<const decltype(answer(request))>(answer(request));
      if (content->empty()) return response.set_content("", type);
      response.set_content_provider(content->size(), type, [content](std::size_t at, std::size_t size, auto& sink) {
        return sink.write(reinterpret_cast<const char*>(content->data()) + at, size);
      });
    } catch (const Error& error) {
      refuse(response, status_of(error.kind()), error.what());
    } catch (const std::exception& error) {
      refuse(response, 500, error.what());
    }
  };
}

}  // namespace

Server::Server(const std::filesystem::path& folder, std::string listening_at)
    : session(folder), host(std::move(listening_at)), token(make_token()) {
  set_payload_max_length(largest_request);
  set_keep_alive_max_count(100000);
  new_task_queue = [] { return new httplib::ThreadPool(16); };
  // The library's own options would let two programs share a port.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  guard();
  route_looking();
  route_changing();
}

bool Server::answer(httplib::Stream& stream) {
  bool closed = false;
  return process_request(stream, false, closed, nullptr) && !closed;
}

/// Why this request is not answered at all; empty where Host, Origin and token are right.
std::string Server::objection(const Request& request) const {
  const std::string asked = request.get_header_value("Host");
  if (!is_our_host(asked, host, port) || !is_our_origin(request.get_header_value("Origin"), asked))
    return "this request comes from elsewhere";
  std::string given = request.get_header_value("X-PSSC-Token");
  if (request.path == "/" && given.empty()) given = request.get_param_value("token");
  if (!same_secret(given, token)) return "the token is missing or old; use the address that pssc explore printed";
  return "";
}

/// Nothing is answered, and no body read, before Host, Origin and token are right. That holds for the library's own
/// answers too, which it gives before it asks us: to a bad request line, a bad Range, and Expect.
void Server::guard() {
  const auto refused = [this](const Request& request, Response& response) {
    const std::string why = objection(request);
    if (!why.empty()) refuse_and_close(response, 403, why);
    return !why.empty();
  };
  set_pre_routing_handler([refused](const Request& request, Response& response) {
    using enum httplib::Server::HandlerResponse;
    return refused(request, response) ? Handled : Unhandled;
  });
  set_expect_100_continue_handler(
      [refused](const Request& request, Response& response) { return refused(request, response) ? 403 : 100; });
  // Called for every answer of 400 and above. Those without a body are the library's; we say why in its place.
  set_error_handler([refused](const Request& request, Response& response) {
    if (!response.body.empty() || response.status == 403 || refused(request, response)) return;
    const int status = response.status;
    refuse_and_close(response, status,
                     status == 413 ? fmt::format("this is over the limit of {} MiB", largest_request >> 20)
                                   : fmt::format("there is no answer to this request ({})", status));
  });
  set_default_headers({{"Cache-Control", "no-store"},
                       {"X-Content-Type-Options", "nosniff"},
                       {"Referrer-Policy", "no-referrer"},
                       {"Cross-Origin-Resource-Policy", "same-origin"},
                       {"X-Frame-Options", "DENY"},
                       {"Content-Security-Policy", explorer_page_policy()}});
}

void Server::route_looking() {
  const char *json = "application/json", *bytes = "application/octet-stream";
  Session& s = session;
  Get("/", answering("text/html; charset=utf-8", [&s](const Request&) { return s.page(); }));
  Get("/api/state", answering(json, [&s](const Request&) { return s.state(); }));
  Get("/api/cluster", answering(json, [&s](const Request& r) {
        return s.members(static_cast<Label>(number_in(r, "id")), r.get_param_value("order") != "uncertain");
      }));
  Get("/api/review", answering(json, [&s](const Request& r) { return s.review(number_in(r, "count")); }));
  Get("/api/images", answering(json, [&s](const Request& r) { return s.about(rows_in(r)); }));
  Get("/api/find", answering(json, [&s](const Request& r) { return s.find(r.get_param_value("id")); }));
  Get("/api/pictures",
      answering("image/webp", [&s](const Request& r) { return s.pictures(rows_in(r), number_in(r, "columns")); }));
  Get("/api/labels", answering(bytes, [&s](const Request&) { return s.labels_of_page(); }));
  Get("/api/rows", answering(bytes, [&s](const Request&) { return s.rows_of_page(); }));
  Get("/api/progress", answering(json, [&s](const Request&) { return s.progress(); }));
  Get("/api/export.csv",
      answering("text/csv; charset=utf-8", [&s](const Request&) { return s.exported(ExportForm::csv); }));
  Get("/api/export.json", answering(json, [&s](const Request&) { return s.exported(ExportForm::json); }));
}

void Server::route_changing() {
  const char* json = "application/json";
  Session& s = session;
  Post("/api/edit", answering(json, [&s](const Request& r) { return s.edit(r.body); }));
  Post("/api/undo", answering(json, [&s](const Request&) { return s.undo(); }));
  Post("/api/redo", answering(json, [&s](const Request&) { return s.redo(); }));
  Post("/api/split", answering(json, [&s](const Request& r) {
         return s.split(static_cast<Label>(number_in(r, "cluster")), number_in(r, "parts"));
       }));
  Post("/api/place", answering(json, [&s](const Request& r) { return s.place({r.body.begin(), r.body.end()}); }));
  Post("/api/export-folders",
       answering(json, [&s](const Request& r) { return s.export_folders(r.get_param_value("copy") == "1"); }));
}

void Server::take_port(int wanted) {
  const auto bound = [&](int to) { return bind_to_port(host, to); };
  if (wanted != 0) {
    if (!bound(wanted))
      throw run_error(
          fmt::format("cannot listen at {}:{}; it is taken or not ours, name another --port", host, wanted));
    port = wanted;
    return;
  }
  port = bound(first_port) ? first_port : bind_to_any_port(host);
  if (port <= 0) throw run_error(fmt::format("cannot listen at {}; name another --host", host));
}

}  // namespace pssc::explorer
