// SPDX-License-Identifier: Apache-2.0
#include "Limits.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t limit_now(void) { return read_clock(CLOCK_MONOTONIC); }

int64_t limit_processor_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

int64_t limit_spawn(const char *path, char *const arguments[], char *const environment[]) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int64_t start = limit_now();
    int code = posix_spawn(&child, path, &actions, NULL, arguments, environment);
    if (!code) waitpid(child, &status, 0);
    int64_t end = limit_now();
    posix_spawn_file_actions_destroy(&actions);
    return code || status ? -1 : end - start;
}
