// SPDX-License-Identifier: Apache-2.0
#include "CReference.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void reference_service(char out[40], long item) { snprintf(out, 40, "com.example.service%07ld", item / 10); }

void reference_account(char out[40], long item) { snprintf(out, 40, "user%07ld@example.org", item); }

void reference_label(char out[40], long item) { snprintf(out, 40, "Bench item %07ld", item); }

void reference_secret(uint8_t out[REFERENCE_SECRET], long item, long version) {
    char text[REFERENCE_SECRET + 1];
    snprintf(text, sizeof text, "%08lx canary of item %08lu", (unsigned long)version & 0xffffffff,
             (unsigned long)item % 100000000);
    memcpy(out, text, REFERENCE_SECRET);
}

static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t reference_now(void) { return read_clock(CLOCK_MONOTONIC); }

int64_t reference_processor_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
