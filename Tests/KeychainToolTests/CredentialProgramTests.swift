// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The helpers for cargo, Docker, AWS, SwiftPM and curl, called by these programs with a server on loopback.
@Suite struct CredentialProgramTests {
    private static let server = URL(filePath: #filePath).appending(
        path: "../../Fixtures/credential_server.py"
    )
    .standardizedFileURL.path

    private static let paths: [String] =
        ["/usr/bin", "/usr/local/bin", ".cargo/bin", ".pyenv/shims"].map { path in
            path.hasPrefix("/") ? path : "\(NSHomeDirectory())/\(path)"
        } + [ProcessInfo.processInfo.environment["PATH"] ?? ""]

    /// Runs the test if a shell command succeeds with the variables of ``preparation``.
    private static func has(_ program: String, _ check: String) -> ConditionTrait {
        .enabled("\(program) is not installed, or too old") {
            let home = try TemporaryHome()
            return try home.shell("\(preparation); \(check)").code == 0
        }
    }

    /// Links the credential helpers, and sets variables with which programs in the user's home directory are found.
    private static let preparation = """
        cd; mkdir -p bin .cargo .docker .aws
        for name in docker-credential-keychain cargo-credential-keychain; do
            ln -sf "$(command -v security)" bin/$name
        done
        export PATH="$HOME/bin:$PATH:\(paths.joined(separator: ":"))" RUSTUP_HOME='\(NSHomeDirectory())/.rustup'
        export PYENV_ROOT='\(NSHomeDirectory())/.pyenv' CARGO_HOME="$HOME/.cargo"
        """

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Runs shell commands while the server runs; `$S` is its address.
    private func shell(_ lines: String) throws -> ToolProcess.Result {
        try home.shell(
            """
            \(Self.preparation)
            mkfifo port
            /usr/bin/python3 \(Self.server) > port & server=$!
            trap 'kill $server' EXIT
            read -r S < port; S=127.0.0.1:$S
            \(lines)
            """
        )
    }

    // cargo 1.74 is the first with credential providers.
    @Test(has("cargo", "cargo --version | awk '{ split($2, v, \".\"); exit !(v[1] > 1 || v[2] >= 74) }'"))
    func `cargo stores, reads and deletes a token`() throws {
        let result = try shell(
            """
            printf '[registry]\\nglobal-credential-providers = ["cargo-credential-keychain"]\\n' > .cargo/config.toml
            printf '[registries.mine]\\nindex = "sparse+http://%s/index/"\\n' $S >> .cargo/config.toml
            echo canary-token | cargo login --registry mine; echo $?
            security list | sed "s/$S/server/"; cat .cargo/credentials.toml 2>&1 | grep -c canary
            cargo owner --list --registry mine example; echo $?
            cargo logout --registry mine; echo $?; security list | wc -l
            cargo owner --list --registry mine example > /dev/null; echo $?
            """
        )
        #expect(
            result.outputText == """
                0
                cargo-registry:sparse+http://server/index//
                0
                owner-found
                0
                0
                0
                101

                """,
            "\(result.complaintsText)"
        )
        #expect(!result.complaintsText.contains("canary"))
    }

    @Test(has("Docker", "docker --version"))
    func `Docker stores, reads and deletes a password`() throws {
        let result = try shell(
            """
            echo '{ "credsStore": "keychain" }' > .docker/config.json
            printf canary-docker | docker login -u alice --password-stdin $S; echo $?
            security list | sed "s/$S/server/"; grep -c canary .docker/config.json
            docker login $S < /dev/null 2>&1 | grep -o 'existing credentials.*'
            docker logout $S > /dev/null; echo $?; security list | wc -l
            """
        )
        #expect(
            result.outputText == """
                Login Succeeded
                0
                server/alice
                0
                existing credentials... [Username: alice]
                0
                0

                """,
            "\(result.complaintsText)"
        )
    }

    /// Sets `PYTHON` to an interpreter with botocore, the library of AWS's command.
    private static let findBotocore = """
        for PYTHON in /usr/bin/python3 "$PYENV_ROOT/shims/python3" false; do
            "$PYTHON" -c 'import botocore' 2>/dev/null && break
        done
        """

    @Test(has("botocore", "\(findBotocore); [ $PYTHON != false ]"))
    func `the library of AWS's command reads a secret key`() throws {
        let result = try shell(
            """
            \(Self.findBotocore)
            printf '[default]\\ncredential_process = security aws-credential aws\\n' > .aws/config
            printf canary-secret | security set aws/AKIAEXAMPLE
            "$PYTHON" -c 'import botocore.session as s; c = s.Session().get_credentials(); print(c.access_key, c.secret_key)'
            """
        )
        #expect(result.outputText == "AKIAEXAMPLE canary-secret\n", "\(result.complaintsText)")
    }

    @Test func `aws-credential finds no item that requires the user`() throws {
        let result = try home.shell(
            """
            security set-keychain-password -p canary-code
            security add-generic-password -s aws -a KEY --access-control user-presence -X 01
            security aws-credential aws/KEY
            """
        )
        #expect(result.code == 44 && result.output.isEmpty, "\(result.complaintsText)")
        try home.run("security lock-keychain")
    }

    /// A package with a dependency from a registry, which requires a user name and a password.
    private static let package = """
        mkdir -p package/Sources/x package/.swiftpm/configuration run
        echo > package/Sources/x/x.swift
        cat > package/Package.swift <<'END'
        // swift-tools-version:5.9
        import PackageDescription
        let package = Package(
            name: "x", dependencies: [.package(id: "mona.list", from: "1.0.0")], targets: [.target(name: "x")])
        END
        cat > package/.swiftpm/configuration/registries.json <<END
        {"authentication":{"$S":{"type":"basic"},"127.0.0.1":{"type":"basic"}},"version":1,
        "registries":{"[default]":{"url":"http://$S","supportsAvailability":false}}}
        END
        """

    @Test(has("SwiftPM", "swift package --version"))
    func `SwiftPM reads a netrc file as documented`() throws {
        let recipe = try PageRecipe.shell(in: "CredentialHelpers.md", after: "## SwiftPM")
            .replacing("packages.example", with: "127.0.0.1").replacing("swift build", with: "swift package")
            .replacing("--netrc-file \"$netrc\"", with: "--netrc-file \"$netrc\" resolve")
        let result = try shell(
            """
            \(Self.package)
            security add-internet-password -s 127.0.0.1 -a alice -r http -w canary-netrc
            export XDG_RUNTIME_DIR="$HOME/run"
            cd package
            swift package resolve 2>&1 | grep -c 'package not found on registry'
            {
            \(recipe)
            } 2>&1 | grep -o 'package not found on registry'
            ls ../run | wc -l
            """
        )
        #expect(result.outputText == "0\npackage not found on registry\n0\n", "\(result.complaintsText)")
    }

    @Test(has("curl", "curl --version")) func `curl reads a netrc file from a pipe`() throws {
        let result = try shell(
            """
            security add-internet-password -s 127.0.0.1 -a alice -r http -w canary-netrc
            curl -s -o /dev/null -w '%{http_code}\\n' http://$S/file
            security netrc 127.0.0.1 | curl -s --netrc-file /dev/stdin http://$S/file
            """
        )
        #expect(result.outputText == "401\ndownloaded\n", "\(result.complaintsText)")
    }
}
