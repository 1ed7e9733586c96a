#pragma once

// How often the calling thread has asked for memory so far. The functions by which it asks stand in
// counters.c, in the place of the C library's.
unsigned long counters_allocations(void);

// A descriptor from which the count of the calling thread's own instructions can be read, in 64 bits;
// negative where the system does not let it count.
int counters_open_instructions(void);
