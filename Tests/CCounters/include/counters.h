#pragma once

// Number of times that the calling thread has allocated memory so far. To count them, counters.c
// replaces the C library's allocation functions.
unsigned long counters_allocations(void);

// A descriptor from which the count of the calling thread's own instructions can be read, in 64 bits;
// negative where the system does not let it count.
int counters_open_instructions(void);
