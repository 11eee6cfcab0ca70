// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs the documented commands that share items with another program.
@Suite struct PageRecipeTests {
    private let home = try? TemporaryHome()

    /// Runs shell commands in a directory with a program `mail`, a copy of the command.
    private func run(_ lines: String) throws -> ToolProcess.Result {
        let program = ToolProcess.executable
        return try #require(home).shell(
            "cd \"$HOME\" && { ln '\(program)' mail 2>/dev/null || cp '\(program)' mail; }\n\(lines)"
        )
    }

    @Test func `a program finds the token that a CI job stored for it`() throws {
        let recipe = try PageRecipe.shell(in: "Testing.md", after: "Secrets of the job")
        let reading = "./mail find-generic-password -s mail.example -a ci -w"
        try #require(recipe.hasSuffix("\n./mail\n"))
        let result = try run("TOKEN=canary-token\n" + recipe.replacing("\n./mail\n", with: "\n\(reading)\n"))
        #expect(result.outputText == "canary-token\n")
        #expect(result.code == 0)
    }

    @Test func `the command finds an item that a program stored with KeychainAccess`() throws {
        let recipe = try PageRecipe.shell(in: "ComingFromKeychainAccess.md", after: "With the command")
        let adding = "./mail add-generic-password -s com.example.mail -a alice -X 63616e617279"
        let result = try run("\(adding)\n\(recipe)")
        #expect(result.outputText == "canary\n")
        #expect(result.code == 0)
    }

    @Test func `the command finds an item in an access group that both programs list`() throws {
        let recipe = try PageRecipe.shell(in: "CommandLine.md", after: "To share items")
        let adding = "mv mail myapp && ./myapp add-generic-password -s mail.example -a alice -w canary"
        let result = try run("\(adding)\n\(recipe)")
        #expect(result.outputText == "canary\n")
        #expect(result.code == 0)
    }
}
