// The server of a run, asked by many at once, and what it does with requests that make no sense.
#include "explorer/server.hpp"

#include "support/image_files.hpp"

#include <pssc/core/archive.hpp>
#include <pssc/explorer.hpp>

#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

namespace pssc::test {
namespace {

using Json = nlohmann::json;

void make_run(const std::filesystem::path& folder) {
  Parameters p = preset("paper");
  p.clusters = 3;
  p.scales = 2;
  p.angles = 4;
  p.pca_dims = 20;
  p.candidates = 40;
  p.representatives = 20;
  const Context context(2);
  const auto images = open_images("synthetic:60", params_of_size(16));
  const Run run = cluster(context, p, *images);
  const RunFolder taken(folder);
  write_run(context, run, taken);
  write_pages(context, run, *images, "pssc cluster", taken);
}

/// explore.pssc, changed as by somebody who knows the format.
std::string forged(const TempFolder& folder, const std::function<void(PageData&, Json&)>& change) {
  PageData data = PageData::read(folder / "explore.pssc");
  Json json = Json::parse(data.json);
  const std::string before = json.dump();
  change(data, json);
  if (json.dump() != before) data.json = json.dump();
  return data.bytes();
}

class ServedRun : public ::testing::Test {
 protected:
  ServedRun() : made_((make_run(folder.string()), true)), explorer_(folder.string(), {}) {
    const std::string address = explorer_.address();
    const std::size_t token = address.find("token=");
    token_ = address.substr(token + 6);
    port_ = std::stoi(address.substr(address.rfind(':') + 1));
    serving_ = std::thread([this] { explorer_.serve(); });
  }
  ~ServedRun() override {
    explorer_.stop();
    serving_.join();
  }

  httplib::Client client() const {
    httplib::Client c("127.0.0.1", port_);
    c.set_default_headers({{"X-PSSC-Token", token_}});
    return c;
  }

  /// What one connection answers to these bytes, sent with a pause between them, until the server closes it; or
  /// "still open" at the end where it does not.
  std::string answer_to(std::initializer_list<std::string_view> pieces) const {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    for (const std::string_view piece : pieces) {
      send(connection, piece.data(), piece.size(), MSG_NOSIGNAL);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    std::string answer;
    std::array<char, 4096> room{};
    ssize_t count = 0;
    while ((count = recv(connection, room.data(), room.size(), 0)) > 0)
      answer.append(room.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != ECONNRESET) answer += "still open";
    close(connection);
    return answer;
  }
  /// As a browser would begin a request, with whatever token.
  std::string head(const std::string& line, const std::string& token) const {
    return line + "\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\nX-PSSC-Token: " + token + "\r\n";
  }

  TempFolder folder;
  std::string token_;

 private:
  bool made_;
  Explorer explorer_;
  int port_ = 0;
  std::thread serving_;
};

TEST_F(ServedRun, AnswersManyAtOnce) {
  const auto worker = [&](int number) {
    httplib::Client c = client();
    const std::string mine = std::to_string(number);
    for (int i = 0; i < 12; ++i) {
      const auto state = c.Get("/api/state");
      ASSERT_TRUE(state);
      ASSERT_EQ(Json::parse(state->body)["count"], 60);
      const std::string rename = R"({"do":"name","cluster":0,"name":")" + mine + R"("})";
      ASSERT_EQ(c.Post("/api/edit", rename, "application/json")->status, 200);
      ASSERT_EQ(c.Post("/api/undo", "", "application/json")->status, 200);
      ASSERT_EQ(c.Get("/api/pictures?rows=1,2,3&columns=2")->status, 200);
      ASSERT_EQ(c.Get("/api/cluster?id=1")->status, 200);
      ASSERT_EQ(c.Get("/api/export.csv")->status, 200);
      ASSERT_EQ(c.Get("/api/progress")->status, 200);
    }
    ASSERT_EQ(c.Post("/api/place", "P2 2 2 255 0 80 160 240 ", "image/x-portable-graymap")->status, 200);
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) workers.emplace_back(worker, i);
  const auto split = client().Post("/api/split?cluster=0&parts=2", "", "application/json");
  for (auto& thread : workers) thread.join();
  ASSERT_TRUE(split);
  EXPECT_EQ(split->status, 200) << split->body;
}

TEST_F(ServedRun, TheReportIsNotReadAndNoScriptOfTheFoldersRuns) {
  const std::string page = client().Get("/")->body;
  folder.write("report.html", "<script>alert(1)</script>" + page);
  EXPECT_EQ(client().Get("/")->body, page);
  const auto answer = client().Get("/");
  const std::string policy = answer->get_header_value("Content-Security-Policy");
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos) << policy;
  EXPECT_NE(policy.find("style-src 'sha256-"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("unsafe-inline"), std::string::npos) << policy;
}

TEST_F(ServedRun, NobodyReplacesTheRunThatIsExplored) {
  const std::string labels = contents(folder / "labels.csv");
  EXPECT_THROW(make_run(folder.string()), Error);
  EXPECT_EQ(contents(folder / "labels.csv"), labels);
  // Whoever does not ask, another program for instance, is noticed.
  folder.write("labels.csv", "id,cluster,confidence,outlier\n0,0,1,0\n");
  const auto answer = client().Post("/api/edit", R"({"do":"merge","cluster":0,"to":1})", "application/json");
  EXPECT_EQ(answer->status, 500);
  EXPECT_NE(answer->body.find("labels.csv has changed"), std::string::npos) << answer->body;
  EXPECT_FALSE(std::filesystem::exists(folder / "edits.jsonl"));
}

TEST_F(ServedRun, RefusesWhatMakesNoSense) {
  httplib::Client c = client();
  for (const char* path : {"/api/cluster?id=x", "/api/images?rows=1,,2", "/api/images?rows=60", "/api/review?count=-1",
                           "/api/pictures?rows=1&columns=0", "/api/pictures?rows=&columns=3"})
    EXPECT_EQ(c.Get(path)->status, 400) << path;
  for (const char* body : {"", "{", "[]", "null", "7", R"({"do":7})", R"({"do":"fly"})",
                           R"({"do":"merge","cluster":"a"})", R"({"do":"move","to":99,"images":[0]})",
                           R"({"do":"split","cluster":0,"parts":[[999]]})", R"({"do":"name","cluster":-3,"name":"x"})"})
    EXPECT_EQ(c.Post("/api/edit", body, "application/json")->status, 400) << body;
  EXPECT_EQ(c.Post("/api/place", "no image", "image/png")->status, 422);
  EXPECT_EQ(c.Get("/api/nothing")->status, 404);
  c.set_default_headers({{"X-PSSC-Token", "wrong"}});
  EXPECT_EQ(c.Get("/api/state")->status, 403);
  EXPECT_FALSE(std::filesystem::exists(folder / "edits.jsonl"));
}

TEST_F(ServedRun, TheTokenComesBeforeEverythingElse) {
  const std::string none(32, '0');
  for (const std::string& rest :
       {std::string("Range: nonsense\r\n\r\n"), std::string("Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
        std::string("Content-Length: x\r\n\r\n"), std::string("Transfer-Encoding: chunked\r\n\r\nno chunk\r\n"),
        "X: " + std::string(20000, 'x') + "\r\n\r\n"}) {
    const std::string answer = answer_to({head("POST /api/edit HTTP/1.1", none) + rest});
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << rest.substr(0, 60) << answer;
  }
  for (const std::string& line :
       {std::string("nonsense"), std::string("FLY /api/edit HTTP/1.1"), std::string("GET /api/cluster?id=x HTTP/1.1"),
        std::string("GET /%zz HTTP/1.1"), "GET /" + std::string(10000, 'x') + " HTTP/1.1"}) {
    const std::string answer = answer_to({head(line, none) + "\r\n"});
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << line.substr(0, 60) << answer;
  }
  // With the token, the library's own objections stand.
  const std::string range = answer_to({head("GET /api/state HTTP/1.1", token_) + "Range: nonsense\r\n\r\n"});
  EXPECT_TRUE(range.starts_with("HTTP/1.1 416 ")) << range;
}

TEST_F(ServedRun, TheBodyOfARefusedRequestIsNotReadAsTheNextRequest) {
  const std::string inner = head("POST /api/undo HTTP/1.1", token_) + "Content-Length: 0\r\n\r\n";
  const std::string outer = head("POST /api/edit HTTP/1.1", std::string(32, '0')) +
                            "Content-Length: " + std::to_string(inner.size()) + "\r\n\r\n";
  for (const std::string& answer : {answer_to({outer, inner}), answer_to({outer + inner})}) {
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << answer;
    EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << answer;
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos) << answer;
    EXPECT_TRUE(answer.ends_with("\"}")) << answer;
  }
}

TEST(Session, ARunThatCannotBeOpenedIsLeftToTheNext) {
  const TempFolder folder;
  make_run(folder.string());
  const std::string labels = contents(folder / "labels.csv");
  folder.write("labels.csv", std::string("nonsense"));
  EXPECT_THROW(explorer::Session session(folder.string()), Error);
  folder.write("labels.csv", labels);
  EXPECT_NO_THROW(explorer::Session session(folder.string()));  // and not: it is being explored already
  const RunFolder taken(folder.string());
  EXPECT_THROW(explorer::Session session(folder.string()), Error);
}

TEST(Session, DamagedFilesAreRefusedInOneLine) {
  const TempFolder folder;
  make_run(folder.string());
  const std::pair<const char*, std::string> damages[] = {
      {"summary.json", "{}"},
      {"summary.json", R"({"input":{},"parameters":{}})"},
      {"summary.json", R"({"input":7,"parameters":{}})"},
      {"summary.json", R"({"input":{"name":"synthetic:60"},"parameters":[]})"},
      {"labels.csv", "id,cluster,confidence,outlier\n0,2147483647,1,0\n"},
      {"labels.csv", "id,cluster,confidence,outlier\n0,-2147483648,1,0\n"},
      {"edits.jsonl", "7\n"},
      {"edits.jsonl", "{\"do\":\"merge\",\"cluster\":9,\"to\":0}\n"},
  };
  for (const auto& [name, content] : damages) {
    const std::string whole = contents(folder / name);
    folder.write(name, content);
    expect_input_error([&] { explorer::Session session(folder.string()); }, {});
    if (whole.empty())
      std::filesystem::remove(folder / name);
    else
      folder.write(name, whole);
  }
  EXPECT_NO_THROW(explorer::Session session(folder.string()));
}

TEST(Session, TextOfAForeignFolderCannotLeaveItsPlaceInThePage) {
  const TempFolder folder;
  make_run(folder.string());
  folder.write("explore.pssc", forged(folder, [](PageData&, Json& json) {
                 const std::string script = "</script><script>alert(1)</script>";
                 json["title"] = json["classes"][0] = json["clusters"][0]["mostly"]["name"] = script;
                 json["summary"]["parameters"]["</script><script>alert(1)"] = "<!--<script>";
               }));
  const explorer::Session session(folder.string());
  EXPECT_EQ(session.page().find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(session.page().find("<script>alert"), std::string::npos);
}

TEST(Session, DataOfAPageThatDoNotFitAreRefused) {
  const TempFolder folder;
  make_run(folder.string());
  const std::string whole = contents(folder / "explore.pssc");
  const auto refused = [&](const std::string& content, const std::vector<std::string>& words) {
    folder.write("explore.pssc", content);
    expect_input_error([&] { explorer::Session session(folder.string()); }, words);
    folder.write("explore.pssc", whole);
  };
  for (const std::size_t size : {0, 7, 8, 40, 200}) refused(whole.substr(0, size), {"explore.pssc"});
  refused(whole.substr(0, whole.size() - 1), {"checksum"});
  for (std::size_t at = 8; at < whole.size(); at += 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    refused(flipped, {"checksum"});
  }
  // From here on the checksum fits.
  refused(sealed("PSSCPAGE" + std::string(8, '\7')), {"version"});
  refused(sealed(whole.substr(0, whole.size() - 65)), {"cannot use"});
  refused(sealed(whole.substr(0, whole.size() - 64) + "x"), {"more than a page"});
  const std::pair<std::function<void(PageData&, Json&)>, const char*> forgeries[] = {
      {[](PageData& d, Json&) { d.labels_sum[0] ^= 1; }, "not of one run"},
      {[](PageData& d, Json&) { d.rows.back() = 60; }, "not of one run"},
      {[](PageData& d, Json&) { std::swap(d.rows[0], d.rows[1]); }, "fit together"},
      {[](PageData& d, Json&) { d.points.pop_back(); }, "fit together"},
      {[](PageData& d, Json&) { d.rows.pop_back(); }, "explore.pssc"},
      {[](PageData& d, Json&) { d.json = "{"; }, "the page"},
      {[](PageData& d, Json&) { d.json = "[]"; }, "the page"},
      {[](PageData&, Json& j) { j["count"] = 59; }, "fit together"},
      {[](PageData&, Json& j) { j.erase("clusters"); }, "clusters"},
      {[](PageData&, Json& j) {
         j["title"] = {{"image", "x"}};
       },
       "title"},
      {[](PageData&, Json& j) { j["ids"] = {"a"}; }, "fit together"},
      {[](PageData&, Json& j) { j["ids"] = Json::array({7}); }, "ids"},
      {[](PageData&, Json& j) { j["confusion"].erase(0); }, "fit together"},
      {[](PageData&, Json& j) { j["confusion"][0].push_back(1); }, "fit together"},
      {[](PageData&, Json& j) { j["clusters"][0]["typical"][0] = 60; }, "typical"},
      {[](PageData&, Json& j) { j["clusters"][0]["typical"][0] = -1; }, "typical"},
      {[](PageData&, Json& j) { j["clusters"][0]["stability"] = "x"; }, "stability"},
      {[](PageData&, Json& j) { j["summary"]["metrics"]["nmi"] = Json::object(); }, "nmi"},
      {[](PageData&, Json& j) {
         j["tree"] = {{"pieces", Json::array()}, {"joins", Json::array()}};
       },
       "tree"},
      {[](PageData& d, Json&) {
         const std::size_t at = d.json.find("\"parameters\":{") + 14;
         d.json.insert(at, "\"deep\":" + std::string(100000, '[') + std::string(100000, ']') + ",");
       },
       "deep"},
  };
  for (const auto& [forge, word] : forgeries) refused(forged(folder, forge), {"explore.pssc", word});
  std::filesystem::remove(folder / "explore.pssc");
  expect_input_error([&] { explorer::Session session(folder.string()); },
                     {"explore.pssc", "run pssc cluster -o again"});
}

}  // namespace
}  // namespace pssc::test
