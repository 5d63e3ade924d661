// Qt loads its database drivers only while an application object lives. Test programs that use them list this file.
#include <memory>

#include <QCoreApplication>
#include <gtest/gtest.h>

namespace {

class QtApplication final : public testing::Environment {
 public:
  void SetUp() override { m_application = std::make_unique<QCoreApplication>(m_count, m_arguments); }
  void TearDown() override { m_application.reset(); }

 private:
  int m_count = 1;
  char m_name[9] = "tidemark";
  char* m_arguments[2] = {m_name, nullptr};
  std::unique_ptr<QCoreApplication> m_application;
};

[[maybe_unused]] testing::Environment* const kRegistered = testing::AddGlobalTestEnvironment(new QtApplication);

}  // namespace
