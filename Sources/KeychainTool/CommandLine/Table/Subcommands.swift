// SPDX-License-Identifier: Apache-2.0

extension Verb {
    /// The words on the command line that select this command.
    var words: [String] { name.split(separator: " ").map(String.init) }

    /// This command and its subcommands.
    package var selectable: [Verb] { [self] + subcommands }

    /// Returns the subcommand that the first word selects, with the remaining words.
    ///
    /// If the first word selects no subcommand, the result is this verb with all words.
    func selecting(_ words: ArraySlice<String>) -> (verb: Verb, rest: ArraySlice<String>) {
        guard let word = words.first, let verb = subcommands.first(where: { $0.words.last == word }) else {
            return (self, words)
        }
        return (verb, words.dropFirst())
    }

    /// The words that can follow this verb to select a subcommand, for completion scripts.
    var subcommandWords: String { subcommands.compactMap(\.words.last).joined(separator: " ") }

    /// The options of this verb and its subcommands, each once.
    var completedOptions: [ToolOption] {
        var options: [ToolOption] = []
        for option in selectable.flatMap(\.options) where !options.contains(where: { $0.name == option.name })
        {
            options.append(option)
        }
        return options
    }

    /// Creates a verb that only selects a subcommand.
    static func group(_ name: String, _ summary: String, discussion: String, _ subcommands: [Verb]) -> Verb {
        let verb = Verb(
            name,
            summary,
            discussion: discussion,
            operand: Operand(
                name: "subcommand",
                help: "What to do; security help \(name) <subcommand> shows its options.",
                limit: .max
            ),
            stopsAtOperand: true,
            subcommands: subcommands
        ) { _ throws(Failure) in
            let words = subcommands.compactMap(\.words.last).joined(separator: ", ")
            throw .usage("a subcommand is required: \(words)")
        }
        return verb
    }
}
