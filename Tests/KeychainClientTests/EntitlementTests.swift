// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct EntitlementTests {
    @Test func `entitlements stated in code take precedence over a file`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store, groups: ["TEAM.file"])
            defer { child.end() }
            #expect(try child.ask("entitle TEAM.stated") == "0")
            #expect(try child.ask("add canary canary") == "0")
            #expect(try child.ask("group canary") == "TEAM.stated")
            #expect(try child.ask("entitle TEAM.other") == "-50")
            #expect(try child.ask("failure").contains("call useEntitlements before"))
            let other = try TestTool.start(over: store, groups: ["TEAM.file"])
            defer { other.end() }
            #expect(try other.ask("copy canary") == "-25300 ")
            #expect(try other.ask("entitle TEAM.stated") == "-50", "the file was used")
        }
    }

    private static let missingEntitlement = "-34018"

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `groups are read from XML and binary property lists, application groups included`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let list: [String: Any] = [
            "application-identifier": "TEAM.app",
            "keychain-access-groups": ["TEAM.shared", "com.apple.token", "TEAM.shared"],
            "com.apple.security.application-groups": ["group.one"], "com.example.other": true,
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        let caller = try Entitlements(propertyList: Array(data)).caller(executable: "/usr/bin/program")
        #expect(caller.applicationIdentifier == "TEAM.app")
        #expect(caller.accessGroups == ["TEAM.shared", "TEAM.app", "group.one", "com.apple.token"])
    }

    @Test(
        arguments: [
            ([:], []), (["keychain-access-groups": []], []),
            (["keychain-access-groups": ["TEAM.one", "TEAM.two"]], ["TEAM.one", "TEAM.two"]),
            (["com.apple.security.application-groups": ["group.one"]], ["group.one"]),
        ] as [([String: [String]], [String])]
    )
    func `a file without an application identifier grants only the groups it lists`(
        list: [String: [String]],
        groups: [String]
    ) throws {
        let data = try PropertyListEncoder().encode(list)
        let caller = try Entitlements(propertyList: Array(data)).caller(executable: "/usr/bin/program")
        #expect(caller.accessGroups == groups)
    }

    @Test func `every call fails for a file without groups`() throws {
        try TestTool.withDirectory { directory in
            let (store, file) = (
                directory.appending(component: "store"), directory.appending(component: "file")
            )
            try PropertyListEncoder().encode(["keychain-access-groups": [String]()]).write(to: file)
            let child = try TestTool.start(over: store, environment: ["KEYCHAIN_ENTITLEMENTS": file.path])
            defer { child.end() }
            #expect(try child.ask("add canary canary") == Self.missingEntitlement)
            #expect(try child.ask("copy canary") == Self.missingEntitlement + " ")
        }
    }

    @Test(arguments: [
        "", "nonsense", "[]", "<plist><array/></plist>",
        "<plist><dict><key>keychain-access-groups</key><string>one</string></dict></plist>",
        "<plist><dict><key>keychain-access-groups</key><array><integer>1</integer></array></dict></plist>",
        "<plist><dict><key>application-identifier</key><true/></dict></plist>",
    ])
    func `a malformed file grants nothing`(text: String) {
        #expect(throws: StatusError(.missingEntitlement, .malformedEntitlements)) {
            try Entitlements(propertyList: Array(text.utf8))
        }
    }

    @Test func `a malformed or missing file fails every call and creates no store`() throws {
        try TestTool.withDirectory { directory in
            let (store, file) = (
                directory.appending(component: "store"), directory.appending(component: "file")
            )
            try Data("nonsense".utf8).write(to: file)
            for path in [file.path, directory.path, directory.path + "/missing"] {
                let child = try TestTool.start(over: store, environment: ["KEYCHAIN_ENTITLEMENTS": path])
                defer { child.end() }
                #expect(try child.ask("add canary canary") == Self.missingEntitlement)
                #expect(try child.ask("copy canary") == Self.missingEntitlement + " ")
            }
            #expect(!FileManager.default.fileExists(atPath: store.path))
        }
    }

    @Test func `access groups separate programs, and a common group is shared`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let one = try TestTool.start(over: store, groups: ["TEAM.one", "TEAM.common"])
            defer { one.end() }
            let two = try TestTool.start(over: store, groups: ["TEAM.two", "TEAM.common"])
            defer { two.end() }
            #expect(try one.ask("add canary-a canary-1") == "0")
            #expect(try two.ask("copy canary-a") == "-25300 ")
            #expect(try two.ask("delete canary-a") == "-25300")
            #expect(try two.ask("add canary-a canary-2") == "0")
            #expect(try one.ask("copy canary-a") == "0 canary-1")
            #expect(try two.ask("copy canary-a") == "0 canary-2")
            #expect(try one.ask("add canary-b canary-3 TEAM.common") == "0")
            #expect(try two.ask("copy canary-b") == "0 canary-3")
            #expect(try two.ask("update canary-b canary-4") == "0")
            #expect(try one.ask("copy canary-b") == "0 canary-4")
            #expect(try one.ask("add canary-c canary TEAM.two") == Self.missingEntitlement)
            #expect(try Canary.files(in: store).isEmpty)
        }
    }

    @Test func `without a file the executable's name is the access group`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try ChildProcess(TestTool.executable, environment: ["KEYCHAIN_HOME": store.path])
            defer { child.end() }
            #expect(try child.ask("add canary canary") == "0")
            #expect(try child.ask("group canary") == "KeychainTestTool")
        }
    }

    @Test func `the file next to the executable is used unless another is named`() throws {
        try TestTool.withDirectory { directory in
            let (store, copy) = (
                directory.appending(component: "store"), directory.appending(component: "program")
            )
            try FileManager.default.copyItem(atPath: TestTool.executable, toPath: copy.path)
            let beside = URL(filePath: copy.path + ".entitlements")
            try PropertyListEncoder().encode(["keychain-access-groups": ["TEAM.beside"]]).write(to: beside)
            var environment = ["KEYCHAIN_HOME": store.path]
            for (named, group) in [(nil, "TEAM.beside"), ("", "TEAM.beside"), ("named", "TEAM.named")] {
                environment["KEYCHAIN_ENTITLEMENTS"] = named
                if let named, !named.isEmpty {
                    let file = directory.appending(component: named)
                    try PropertyListEncoder().encode(["keychain-access-groups": [group]]).write(to: file)
                    environment["KEYCHAIN_ENTITLEMENTS"] = file.path
                }
                let child = try ChildProcess(copy.path, environment: environment)
                defer { child.end() }
                #expect(try child.ask("add canary-\(group) canary") == (named == "" ? "-25299" : "0"))
                #expect(try child.ask("group canary-\(group)") == group)
            }
            try Data("nonsense".utf8).write(to: beside)
            let child = try ChildProcess(copy.path, environment: ["KEYCHAIN_HOME": store.path])
            defer { child.end() }
            #expect(try child.ask("count") == Self.missingEntitlement)
        }
    }

    @Test(arguments: [false, true])
    func `a program replaced while it runs keeps its access groups`(hasFile: Bool) throws {
        try TestTool.withDirectory { directory in
            let (store, program) = (
                directory.appending(component: "store"), directory.appending(component: "program")
            )
            try FileManager.default.copyItem(atPath: TestTool.executable, toPath: program.path)
            if hasFile {
                try PropertyListEncoder().encode(["keychain-access-groups": ["TEAM.beside"]])
                    .write(to: URL(filePath: program.path + ".entitlements"))
            }
            let child = try ChildProcess(program.path, environment: ["KEYCHAIN_HOME": store.path])
            defer { child.end() }
            #expect(try child.ask("cd \(directory.path)") == "0")
            try FileManager.default.removeItem(at: program)
            try Data("another version".utf8).write(to: program)
            #expect(try child.ask("add canary canary") == "0")
            #expect(try child.ask("group canary") == (hasFile ? "TEAM.beside" : "program"))
        }
    }

    @Test(arguments: [
        ("/usr/bin/app", "/usr/bin/app"), ("/usr/bin/app (deleted)", "/usr/bin/app"),
        ("/usr/bin/app (deleted) (deleted)", "/usr/bin/app (deleted)"),
        ("/opt/named (deleted)", "/opt/named (deleted)"), ("/usr/bin/app(deleted)", "/usr/bin/app(deleted)"),
    ])
    func `the kernel's suffix for deleted files is removed from the path`(link: String, path: String) {
        let result = Entitlements.path(ofLink: link, exists: { $0 == "/opt/named (deleted)" })
        #expect(result == path)
    }

    @Test(
        arguments: [
            ("/usr/bin/security", "security"), ("security", "security"), ("/opt/app//", "app"), ("//", nil),
            ("", nil), ("/opt/\u{301}app", "\u{301}app"),
        ] as [(String, String?)]
    )
    func `the last component of a path has no slashes`(path: String, component: String?) {
        #expect(path.lastComponentOfPath == component)
    }
}
