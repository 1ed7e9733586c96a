#pragma once
#include <malloc.h>
#include <spawn.h>

// What glibc declares only to those who ask for GNU extensions.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
