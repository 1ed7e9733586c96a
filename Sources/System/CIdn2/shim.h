#pragma once
#define IDN2_SKIP_LIBIDN_COMPAT
#include <idn2.h>
