#pragma once
// The system's SQLite: iOS, macOS and Linux distributions have it under this name.
#include <sqlite3.h>
