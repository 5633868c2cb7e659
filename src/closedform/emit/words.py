"""Words that generated code must not use as names of its own."""

from __future__ import annotations

import builtins
import keyword

_C = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while asm typeof main
"""

_CPP = """
alignas alignof and and_eq bitand bitor bool catch char16_t char32_t char8_t class co_await
co_return co_yield compl concept consteval constexpr constinit const_cast decltype delete
dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public reinterpret_cast requires static_assert static_cast
template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq
"""

_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2
logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln
scalbn sin sinh sqrt tan tanh tgamma trunc sincos gamma drem significand j0 j1 jn y0 y1 yn
"""

_MATH_MACROS = """
fpclassify isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal
isunordered signbit signgam
"""

_LIBRARY = """
abort abs atexit atof atoi atol atoll bcmp bcopy bsearch bzero cabs calloc carg cexp cimag clog
conj cpow creal csin csqrt ctan div errno exit fclose feof fflush fgetc fgets fopen fprintf fputc
fputs fread free fscanf fseek ftell fwrite getc getchar getenv gets index isalnum isalpha isascii
isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit labs ldiv llabs
longjmp malloc memchr memcmp memcpy memmove memset perror printf putc putchar puts qsort rand
realloc remove rename rewind rindex scanf setjmp signal snprintf sprintf srand sscanf stpcpy
strcasecmp strcat strchr strcmp strcpy strcspn strdup strlen strncat strncmp strncpy strpbrk strspn
strstr strtod strtok strtol system time toascii tolower toupper ungetc vprintf vsnprintf vsprintf
assert offsetof stdin stdout stderr linux unix
"""

_CUDA = """
blockDim blockIdx gridDim threadIdx warpSize rsqrt rcbrt sincospi sinpi cospi normcdf erfinv count
stride step i dim3 uint3
"""

_MATLAB = """
break case catch classdef continue else elseif end for function global if otherwise parfor
persistent return spmd switch try while do until unwind_protect unwind_protect_cleanup
end_try_catch end_unwind_protect endclassdef endenumeration endevents endfor endfunction endif
endmethods endparfor endproperties endswitch endwhile enumeration events methods properties
arguments assert isa size single double all power sin cos sqrt zeros ans i j pi eps Inf NaN true false
"""


def _c_words() -> frozenset[str]:
    math = _MATH.split()
    suffixed = [word + suffix for word in math for suffix in "fl"]
    return frozenset([*_C.split(), *_CPP.split(), *math, *suffixed, *_MATH_MACROS.split(), *_LIBRARY.split()])


C = _c_words()
"""C99, with what C++ keeps for itself, since headers are read by both, and the standard library."""

CUDA = C | frozenset(_CUDA.split())

CPP = C | frozenset(
    ["std", "Eigen", "eigen", "matrix", "contiguous", "in", "out", "real", "results_", "nq", "nv"]
)
"""What a header of C++ names itself, besides."""

_HEADERS = """
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg stdbool
stddef stdint stdio stdlib string tgmath time wchar wctype malloc memory poll sched semaphore pthread
unistd values strings span array all clean depend edit_cache help install list_install_components
package package_source rebuild_cache test RUN_TESTS self_check CMakeLists README
"""

LIBRARY = CPP | frozenset(_HEADERS.split())
"""What a library must not be called: headers of the system would be hidden, CMake keeps some targets."""

MATLAB = frozenset(_MATLAB.split())
"""MATLAB and Octave, with the functions that generated code calls."""

NUMPY = frozenset([*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "np", "batch", "dtype"])
