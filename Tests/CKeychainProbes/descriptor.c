// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CProbes.h"
#include <string.h>
#include <sys/socket.h>

int send_with_descriptor(int socket, const void *bytes, size_t count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof socket);
    memcpy(CMSG_DATA(&control.header), &socket, sizeof socket);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)count ? 0 : -1;
}
