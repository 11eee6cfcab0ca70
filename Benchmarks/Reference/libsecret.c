// SPDX-License-Identifier: Apache-2.0
// Looks up items of the desktop's keyring through libsecret: reference-libsecret ITEMS [store]
// With "store", stores the items first. Prints "ready". For each line "KIND COUNT FIRST" of standard input, looks up COUNT
// items and prints the average time in microseconds. KIND is l to look up a password with libsecret, s to search with one
// D-Bus call, or t to start secret-tool.

#include "CReference.h"
#include <libsecret/secret.h>
#include <stdio.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

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

static int store(long item) {
    char service[40], account[40], label[40], secret[80];
    reference_service(service, item);
    reference_account(account, item);
    snprintf(label, sizeof label, "Bench item %07ld", item);
    snprintf(secret, sizeof secret, "%08d canary of item %08ld", 0, item);
    return secret_password_store_sync(&schema, SECRET_COLLECTION_DEFAULT, label, secret, NULL, NULL, "service", service,
                                      "account", account, NULL)
               ? 0
               : -1;
}

static int search(GDBusConnection *bus, long item) {
    char service[40], account[40];
    reference_service(service, item);
    reference_account(account, item);
    GVariantBuilder attributes;
    g_variant_builder_init(&attributes, G_VARIANT_TYPE("a{ss}"));
    g_variant_builder_add(&attributes, "{ss}", "service", service);
    g_variant_builder_add(&attributes, "{ss}", "account", account);
    GVariant *found = g_dbus_connection_call_sync(
        bus, "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "SearchItems",
        g_variant_new("(a{ss})", &attributes), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
    if (found == NULL) return -1;
    GVariant *unlocked = g_variant_get_child_value(found, 0);
    int count = g_variant_n_children(unlocked);
    g_variant_unref(unlocked);
    g_variant_unref(found);
    return count == 1 ? 0 : -1;
}

static int start_tool(long item) {
    char service[40], account[40];
    reference_service(service, item);
    reference_account(account, item);
    char *arguments[] = {"secret-tool", "lookup", "service", service, "account", account, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t process;
    int status = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0 && waitpid(process, &status, 0) == process && status == 0 ? 0 : -1;
}

int main(int argc, char **argv) {
    long items = argc > 1 ? atol(argv[1]) : 0;
    if (items <= 0) return 1;
    for (long item = 0; argc > 2 && item < items; item++) {
        if (store(item) != 0) return 1;
    }
    // The keyring answers after it has read its file, which can take longer than the time limit of a call.
    for (int attempt = 0; look_up(0) != 0; attempt++) {
        if (attempt == 20) return 1;
    }
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    puts("ready");
    fflush(stdout);
    char kind;
    long count, first;
    while (scanf(" %c %ld %ld", &kind, &count, &first) == 3) {
        int64_t start = reference_now();
        int failed = 0;
        for (long number = 0; number < count; number++) {
            long item = (first + number) * 7919 % items;
            if ((kind == 's' ? search(bus, item) : kind == 't' ? start_tool(item) : look_up(item)) != 0) failed = 1;
        }
        if (failed) puts("failed");
        else printf("%f\n", (double)(reference_now() - start) / 1000 / count);
        fflush(stdout);
    }
    return 0;
}
