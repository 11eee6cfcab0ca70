// SPDX-License-Identifier: Apache-2.0
#include "CReference.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t reference_spawn(const char *path, char *const arguments[], char *const environment[], const char *input) {
    int ends[2], status = -1;
    if (pipe(ends)) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int64_t start = reference_now();
    int failed = posix_spawn(&child, path, &actions, NULL, arguments, environment);
    size_t length = input ? strlen(input) : 0;
    if (!failed && length && write(ends[1], input, length) != (ssize_t)length) failed = 1;
    close(ends[0]);
    close(ends[1]);
    if (!failed) waitpid(child, &status, 0);
    int64_t end = reference_now();
    posix_spawn_file_actions_destroy(&actions);
    return status ? -1 : end - start;
}
