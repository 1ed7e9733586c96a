import Glibc

/// Lets others run.
func pause() { sched_yield() }
