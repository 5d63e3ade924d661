# One interface target carries the warnings and sanitizers that every target of the project is built with.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                                   -Woverloaded-virtual)
if(TIDEMARK_WERROR)
  target_compile_options(tidemark_warnings INTERFACE -Werror)
endif()
if(TIDEMARK_SANITIZE)
  target_compile_options(tidemark_warnings INTERFACE -fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tidemark_warnings INTERFACE -fsanitize=${TIDEMARK_SANITIZE})
endif()
