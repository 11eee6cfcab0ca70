// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import Testing

/// Parsing sandboxes from AppArmor labels, `.flatpak-info` files and the files that describe trusted teams.
@Suite struct SandboxTests {
    @Test(arguments: [
        ("/usr/bin/mail (enforce)\n", "apparmor:/usr/bin/mail"), ("mail (enforce)", "apparmor:mail"),
        ("snap.mail.reader (enforce)", "snap:mail"), ("snap.mail.hook.configure (enforce)\n", "snap:mail"),
        ("snap.mail (enforce)", "apparmor:snap.mail"), ("mail//&other (enforce)", "apparmor:mail//&other"),
        ("unconfined\n", nil), ("mail (complain)", nil), ("mail (unconfined)", nil), ("mail (kill)", nil),
        ("system_u:system_r:mail_t:s0\0", nil), (" (enforce)", nil), ("", nil),
        (
            "a b (enforce)",
            "apparmor:blake2b-f9a0e87109b9db96f72611a8d52fc5f93411505b74dbe1a49c38172688b618fc"
        ),
        (
            String(repeating: "a", count: 73) + " (enforce)",
            "apparmor:blake2b-2ffed7f74fe82d85fe6a5fec7855ab53e6ea64bb420942fc4f6295b49d789df7"
        ),
    ])
    func `only an AppArmor label in enforce mode is a sandbox`(label: String, text: String?) {
        #expect(Sandbox(appArmorLabel: label)?.text == text)
    }

    @Test(arguments: [
        ("[Application]\nname=org.example.Mail\nruntime=x\n", "flatpak:org.example.Mail"),
        ("[Context]\nshared=ipc;\n[Application]\nname=org.example.Mail\n", "flatpak:org.example.Mail"),
        ("[Runtime]\nname=org.example.Runtime\n", nil), ("name=org.example.Mail\n", nil), ("", nil),
        ("[Application]\nname=\n", nil),
        (
            "[Application]\nname=org.example." + String(repeating: "M", count: 61) + "\n",
            "flatpak:blake2b-23d8faea8ebf9ecec48b33f7f8c1628c8ee01f432ff928a17e3712d894145b70"
        ),
    ])
    func `the name of a Flatpak application is a sandbox`(information: String, text: String?) {
        #expect(Sandbox(flatpakInformation: information)?.text == text)
    }

    @Test(arguments: [
        ("apparmor:mail", "mail (enforce)\0", true), ("snap:mail", "snap.mail.reader (enforce)", true),
        ("apparmor:mail", "unconfined", false), ("apparmor:mail", "other (enforce)", false),
        ("apparmor:mail", "mail (complain)", false), ("snap:mail", "snap.other.reader (enforce)", false),
        ("apparmor:mail", "", false), ("apparmor:mail", nil, true),
        (
            "apparmor:blake2b-f9a0e87109b9db96f72611a8d52fc5f93411505b74dbe1a49c38172688b618fc",
            "a b (enforce)", true
        ),
        ("flatpak:org.example.Mail", "unconfined", true), ("flatpak:org.example.Mail", nil, true),
    ])
    func `a sandbox that the program entered after it connected does not count`(
        text: String,
        label: String?,
        isConfirmed: Bool
    ) throws {
        let sandbox = try #require(Sandbox(text: text))
        #expect(sandbox.isConfirmed(by: label) == isConfirmed)
    }

    @Test func `a sandbox is written to a team file and read again`() throws {
        for text in ["apparmor:/usr/bin/mail", "snap:mail", "flatpak:org.example.Mail"] {
            #expect(Sandbox(text: text)?.text == text)
        }
        for text in ["", "snap", "snap:", "docker:mail", "snap:a b", ":mail"] {
            #expect(Sandbox(text: text) == nil)
        }
    }
}
