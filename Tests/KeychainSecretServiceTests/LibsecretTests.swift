// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// libsecret's own client library, and git's helper that uses it.
@Suite(SecretServiceMachine.isAvailable) struct LibsecretTests {
    private func compile(_ machine: SecretServiceMachine, _ source: String) throws -> String {
        let program = source + ".program"
        let script = """
            exec "$(command -v cc || command -v clang)" -o "$0" "$1" $(pkg-config --cflags --libs libsecret-1 glib-2.0)
            """
        let output = try machine.run("/bin/sh", ["-c", script, program, source])
        guard output.ending == .exited(0) else {
            throw SecretServiceMachine.Failure(description: output.text)
        }
        return program
    }

    private static let program = """
        #include <libsecret/secret.h>
        #include <stdio.h>
        #include <string.h>

        static const SecretSchema schema = {"org.example.Canary", SECRET_SCHEMA_NONE,
            {{"user", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"port", SECRET_SCHEMA_ATTRIBUTE_INTEGER},
             {"tls", SECRET_SCHEMA_ATTRIBUTE_BOOLEAN}, {NULL, 0}}};
        #define CHECK(what) if (!(what) || error) { printf("line %d: %s\\n", __LINE__, error ? error->message : ""); return 1; }

        int main(void) {
            GError *error = NULL;
            CHECK(secret_password_store_sync(&schema, SECRET_COLLECTION_DEFAULT, "Label", "canary-1", NULL, &error,
                "user", "joe", "port", 8080, "tls", TRUE, NULL));
            gchar *found = secret_password_lookup_sync(&schema, NULL, &error, "user", "joe", "port", 8080, NULL);
            CHECK(found && strcmp(found, "canary-1") == 0);
            secret_password_free(found);
            CHECK(secret_password_lookup_sync(&schema, NULL, &error, "user", "ann", NULL) == NULL);
            CHECK(secret_password_store_sync(&schema, SECRET_COLLECTION_SESSION, "Short", "canary-2", NULL, &error,
                "user", "short", NULL));
            SecretService *service = secret_service_get_sync(
                SECRET_SERVICE_OPEN_SESSION | SECRET_SERVICE_LOAD_COLLECTIONS, NULL, &error);
            CHECK(service && g_list_length(secret_service_get_collections(service)) == 2);
            CHECK(strstr(secret_service_get_session_algorithms(service), "dh-ietf1024"));
            SecretCollection *own = secret_collection_create_sync(service, "Own", NULL, 0, NULL, &error);
            CHECK(own && strcmp(secret_collection_get_label(own), "Own") == 0 && !secret_collection_get_locked(own));
            GHashTable *attributes = secret_attributes_build(&schema, "user", "own", NULL);
            SecretValue *value = secret_value_new("canary-3", -1, "text/plain");
            SecretItem *item = secret_item_create_sync(own, &schema, attributes, "Item", value,
                SECRET_ITEM_CREATE_REPLACE, NULL, &error);
            CHECK(item && strcmp(secret_item_get_schema_name(item), "org.example.Canary") == 0);
            CHECK(secret_item_load_secret_sync(item, NULL, &error));
            CHECK(strcmp(secret_value_get_text(secret_item_get_secret(item)), "canary-3") == 0);
            CHECK(secret_item_set_label_sync(item, "New", NULL, &error));
            GList *items = secret_collection_search_sync(own, &schema, attributes,
                SECRET_SEARCH_ALL | SECRET_SEARCH_LOAD_SECRETS, NULL, &error);
            CHECK(g_list_length(items) == 1 && strcmp(secret_item_get_label(items->data), "New") == 0);
            GHashTable *all = g_hash_table_new(g_str_hash, g_str_equal);
            items = secret_service_search_sync(service, &schema, all,
                SECRET_SEARCH_ALL | SECRET_SEARCH_UNLOCK | SECRET_SEARCH_LOAD_SECRETS, NULL, &error);
            CHECK(g_list_length(items) == 3);
            CHECK(secret_item_delete_sync(item, NULL, &error));
            CHECK(secret_collection_delete_sync(own, NULL, &error));
            CHECK(secret_password_clear_sync(&schema, NULL, &error, "user", "joe", NULL));
            CHECK(!secret_password_clear_sync(&schema, NULL, &error, "user", "joe", NULL));
            puts("done");
            return 0;
        }
        """

    @Test func `libsecret stores, searches, changes and deletes items`() throws {
        let machine = try SecretServiceMachine()
        let source = machine.directory.appending(component: "client.c")
        try Data(Self.program.utf8).write(to: source)
        let program = try compile(machine, source.path)
        let service = try machine.start()
        #expect(try machine.run(program, []).lines == ["done"])
        #expect(try machine.stop(service) == .exited(0))
    }

    private static let gitSource =
        "/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c"

    @Test(
        .enabled("needs the sources of git's helper, in Debian's package of git") {
            FileManager.default.fileExists(atPath: gitSource)
        }
    )
    func `git's libsecret helper stores, finds and removes a credential`() throws {
        let machine = try SecretServiceMachine()
        let source = machine.directory.appending(component: "git-credential-libsecret.c")
        try FileManager.default.copyItem(atPath: Self.gitSource, toPath: source.path)
        let helper = try compile(machine, source.path)
        let service = try machine.start()
        let url = "protocol=https\nhost=git.example.org\nusername=joe\n"
        func git(_ operation: String, _ input: String) throws -> String {
            let arguments = [
                // `-C` keeps git from reading the configuration of a repository that contains the tests.
                "-C", machine.directory.path, "-c", "credential.helper=", "-c", "credential.helper=\(helper)",
                "credential", operation,
            ]
            return try machine.run("/usr/bin/git", arguments, input: input).text
        }
        let password = Canary.make("password")
        #expect(try git("approve", url + "password=\(password)\n") == "")
        #expect(try git("fill", url).contains("password=\(password)"))
        #expect(try git("reject", url + "password=\(password)\n") == "")
        #expect(try !git("fill", url).contains("password=\(password)"))
        _ = try machine.stop(service)
    }
}
