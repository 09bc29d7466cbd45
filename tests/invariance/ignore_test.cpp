// The list that --ignore takes.
#include <pssc/core/error.hpp>
#include <pssc/invariance.hpp>

#include <gtest/gtest.h>

namespace pssc {
namespace {

TEST(Ignore, NoneAListAndChangesToTheDefault) {
  EXPECT_EQ(parse_ignored("none"), Ignored{});
  EXPECT_EQ(parse_ignored("gain,shift"), (Ignored{{Change::shift, Change::gain}, false, false}));
  Ignored more = ignored_by_default();
  more.rotate = more.flip = true;
  std::erase(more.changes, Change::gain);
  EXPECT_EQ(parse_ignored("+rotate,-gain,+flip"), more);
  EXPECT_EQ(parse_ignored("-rotate"), ignored_by_default());
}

TEST(Ignore, NamesReadBackToTheSame) {
  for (const char* list : {"shift", "+rotate", "+colour,+background,-tilt", "flip,rotate"}) {
    const Ignored ignored = parse_ignored(list);
    std::string joined;
    for (const std::string& name : names_of(ignored)) joined += (joined.empty() ? "" : ",") + name;
    EXPECT_EQ(parse_ignored(joined), ignored) << list;
  }
}

TEST(Ignore, WrongListsAreRefusedWithWhatIsKnown) {
  for (const char* list : {"", "rotation", "shift,", "+shift,gain", "none,shift", "+", "shift gain"}) {
    try {
      parse_ignored(list);
      FAIL() << list << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("--ignore"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace pssc
