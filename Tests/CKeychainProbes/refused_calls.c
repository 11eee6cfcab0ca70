// SPDX-License-Identifier: Apache-2.0
#include "CProbes.h"

#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int join_new_session(void) { return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) > 0 ? 0 : -1; }

int become_user(uint32_t user) {
    return setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0 ? -1 : 0;
}

int fill_key_quota(void) {
    static const char payload[4096];
    char name[32];
    int number = 0;
    for (size_t size = sizeof payload; size > 0; size /= 2) {
        do snprintf(name, sizeof name, "filler-%d", number++);
        while (syscall(SYS_add_key, "user", name, payload, size, KEY_SPEC_USER_KEYRING) > 0);
    }
    return errno;
}

int clear_user_keyring(void) { return syscall(SYS_keyctl, KEYCTL_CLEAR, KEY_SPEC_USER_KEYRING) == 0 ? 0 : -1; }

static int refuse(struct sock_filter *filter, unsigned short count) {
    struct sock_fprog program = {count, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int refuse_keyrings(int error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_request_key, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return refuse(filter, sizeof filter / sizeof filter[0]);
}

int refuse_new_keys(int error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return refuse(filter, sizeof filter / sizeof filter[0]);
}
