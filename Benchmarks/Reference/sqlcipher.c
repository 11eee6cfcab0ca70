// SPDX-License-Identifier: Apache-2.0
//
// The C reference with SQLCipher instead of SQLite. It is a separate program, because the two libraries have the same
// symbols, so one program cannot link both. The argument is the store's directory. For each line of its standard input, such
// as "reads FIRST COUNT ITEMS", the program prints the result of the corresponding function in CReference.h.
#include "CReference.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    reference_store *store = count == 2 ? reference_open(arguments[1]) : NULL;
    if (!store) return 1;
    char verb[32];
    long a, b, c;
    while (scanf("%31s %ld %ld %ld", verb, &a, &b, &c) == 4) {
        int64_t answer = -1;
        if (!strcmp(verb, "fill")) answer = reference_fill(store, a, b);
        if (!strcmp(verb, "checkpoint")) answer = -reference_checkpoint(store);
        if (!strcmp(verb, "reads")) answer = reference_time_reads(store, a, b, c);
        if (!strcmp(verb, "adds")) answer = reference_time_adds(store, a, b);
        if (!strcmp(verb, "updates")) answer = reference_time_updates(store, a, b, c);
        if (!strcmp(verb, "list")) answer = reference_time_list(store, b, c);
        if (!strcmp(verb, "reads-until")) answer = reference_reads_until(store, reference_now() + b, a, c);
        printf("%lld\n", (long long)answer);
        fflush(stdout);
    }
    reference_close(store);
    return 0;
}
