// Files of labels, above all CSV.
#include "temporary.hpp"

#include <pssc/core/csv.hpp>
#include <pssc/images.hpp>

using namespace pssc;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder folder;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::unless_refused([&] {
    const Labels labels = read_labels(folder.write("labels.csv", text), {.unfolded = 1 << 20});
    for (const std::int32_t value : labels.values)
      fuzz::require(value >= 0 && static_cast<std::size_t>(value) < labels.names.size(), "a label without a name");
  });
  fuzz::unless_refused([&] {
    // What is written is what was read.
    for (const CsvRecord& record : parse_csv(text, "labels.csv"))
      for (const std::string& field : record.fields) {
        const auto again = parse_csv("x," + csv_field(field) + "\n", "field");
        fuzz::require(again.size() == 1 && again[0].fields.size() == 2 && again[0].fields[1] == field,
                      "a field that is not read as it was written");
      }
  });
  return 0;
}
