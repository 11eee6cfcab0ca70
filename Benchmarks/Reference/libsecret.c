// SPDX-License-Identifier: Apache-2.0
// Looks up items of the desktop's keyring through libsecret.
// Prints "ready"; for each line "COUNT FIRST" looks up COUNT items and prints the average time in microseconds.

#include "CReference.h"
#include <libsecret/secret.h>
#include <stdio.h>
#include <stdlib.h>

static const SecretSchema schema = {
    "org.example.benchmark", SECRET_SCHEMA_NONE,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
};

static int look_up(long item) {
    char service[40], account[40];
    reference_service(service, item);
    reference_account(account, item);
    GError *error = NULL;
    gchar *secret = secret_password_lookup_sync(&schema, NULL, &error, "service", service, "account", account, NULL);
    if (error != NULL) fprintf(stderr, "libsecret: %s\n", error->message);
    if (secret == NULL) return -1;
    secret_password_free(secret);
    return 0;
}

int main(int argc, char **argv) {
    long items = argc > 1 ? atol(argv[1]) : 0;
    if (items <= 0) return 1;
    // The keyring answers after it has read its file, which can take longer than the time limit of a call.
    for (int attempt = 0; look_up(0) != 0; attempt++) {
        if (attempt == 20) return 1;
    }
    puts("ready");
    fflush(stdout);
    long count, first;
    while (scanf("%ld %ld", &count, &first) == 2) {
        int64_t start = reference_now();
        int failed = 0;
        for (long number = 0; number < count; number++) {
            if (look_up((first + number) * 7919 % items) != 0) failed = 1;
        }
        if (failed) puts("failed");
        else printf("%f\n", (double)(reference_now() - start) / 1000 / count);
        fflush(stdout);
    }
    return 0;
}
