# tidemark_test(NAME name SOURCES … [LIBS …] [TIMEOUT seconds] [LABELS …])
# One GoogleTest program, one ctest entry. TIMEOUT only ends a test that hangs; no test measures time.
function(tidemark_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE tidemark_warnings engine ${T_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${T_NAME} PRIVATE TIDEMARK_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures"
                             TIDEMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TIDEMARK_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}"
                       ENVIRONMENT "LANG=C.UTF-8;TZ=UTC;QT_QPA_PLATFORM=offscreen")
endfunction()

# tidemark_qt_test(NAME name SOURCES … [LIBS …] [TIMEOUT seconds] [LABELS …])
# The same for a QtTest program that drives widgets, on the offscreen platform.
function(tidemark_qt_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  set_target_properties(${T_NAME} PROPERTIES AUTOMOC ON)
  target_link_libraries(${T_NAME} PRIVATE tidemark_warnings ${T_LIBS} Qt6::Test)
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}"
                       ENVIRONMENT "LANG=C.UTF-8;TZ=UTC;QT_QPA_PLATFORM=offscreen")
endfunction()
