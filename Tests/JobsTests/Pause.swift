import Glibc

/// Lets other threads run.
func pause() { sched_yield() }
