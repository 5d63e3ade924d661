# One interface target carries the warnings and sanitizers that every target of the project is built with.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                                   -Woverloaded-virtual)
# GCC 12 sees impossible lengths in inlined std::string code when it optimises (GCC bugs 105329 and 105651; mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tidemark_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(TIDEMARK_WERROR)
  target_compile_options(tidemark_warnings INTERFACE -Werror)
endif()
if(TIDEMARK_SANITIZE)
  target_compile_options(tidemark_warnings INTERFACE -fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tidemark_warnings INTERFACE -fsanitize=${TIDEMARK_SANITIZE})
endif()
