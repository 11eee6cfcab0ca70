// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CReference.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
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

int reference_spawn_daemon(const char *path, const char *runtime, const char *store) {
    int ends[2];
    char variables[2][600], files[4][600];
    snprintf(variables[0], sizeof variables[0], "XDG_RUNTIME_DIR=%s", runtime);
    snprintf(variables[1], sizeof variables[1], "KEYCHAIN_HOME=%s", store ? store : "/nonexistent");
    const char *names[] = {"keychain/socket", "state", "teams", "programs"};
    for (int number = 0; number < 4; number++) {
        snprintf(files[number], sizeof files[number], "%s/%s", runtime, names[number]);
    }
    char *environment[] = {variables[0], variables[1], NULL};
    char *of_user[] = {(char *)path, "--user", NULL};
    // The user ID 64001 needs no entry in the user database.
    char *of_system[] = {
        (char *)path, "--system", "--as", "64001:64001", "--socket", files[0], "--state", files[1],
        "--teams", files[2], "--programs", files[3], NULL};
    char **arguments = store ? of_user : of_system;
    if (pipe2(ends, O_CLOEXEC)) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    pid_t child;
    int failed = posix_spawn(&child, path, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char byte = 0;
    while (!failed && byte != '\n' && read(ends[0], &byte, 1) == 1) {}
    close(ends[0]);
    return failed || byte != '\n' ? -1 : child;
}

void reference_pin(int process, int only_first) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int number = 0; number < (only_first ? 1 : CPU_SETSIZE); number++) CPU_SET(number, &set);
    sched_setaffinity(0, sizeof set, &set);
    // sched_setaffinity applies to one thread, so it is called for each thread of the process.
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    if (tasks == NULL) return;
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        if (task->d_name[0] != '.') sched_setaffinity(atoi(task->d_name), sizeof set, &set);
    }
    closedir(tasks);
}
