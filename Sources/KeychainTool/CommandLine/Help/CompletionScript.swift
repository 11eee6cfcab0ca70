// SPDX-License-Identifier: Apache-2.0

/// Generates completion scripts for shells from the table of verbs.
package enum CompletionScript {
    /// Returns the script for bash, zsh or fish; `nil` for any other shell.
    package static func script(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    fileprivate static let tool = Help.completed(Verb.toolOptions, ofTool: true)

    /// The names of the commands, which `help` also accepts.
    fileprivate static let commands = Verb.table.map(\.name).joined(separator: " ")

    /// Quotes a word with single quotation marks for bash and zsh.
    fileprivate static func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}

extension ToolOption {
    /// The letter and the name of the option, with their dashes.
    fileprivate var words: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    fileprivate var takesValue: Bool { kind != .flag }
}

// MARK: bash

extension CompletionScript {
    private static var bash: String {
        """
        # Completion of security for bash.
        _security() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
            local verb= options= valued= words= index
            COMPREPLY=()
            for ((index = 1; index < COMP_CWORD; index++)); do
                case ${COMP_WORDS[index]} in
                -p | --prompt) ((index++)) ;;
                -*) ;;
                *)
                    verb=${COMP_WORDS[index]}
                    break
                    ;;
                esac
            done
            case $verb in
            '')
        \(bashLists(tool, words: commands))
                ;;
        \(Verb.table.map(bashCase).joined(separator: "\n"))
            esac
            case $verb:$previous in
        \(bashValues)
            esac
            # Any other value of an option is completed as a file name.
            case " $valued " in *" $previous "*) return ;; esac
            COMPREPLY=($(compgen -W "$options $words" -- "$current"))
        }
        complete -o default -F _security security

        """
    }

    /// The cases of the options whose values are completed.
    private static var bashValues: String {
        let cases = Verb.table.flatMap { verb in
            verb.completedOptions.filter { !$0.values.isEmpty }.map { option in
                let names = option.words.map { "\(verb.name):\($0)" }.joined(separator: " | ")
                let values = option.values.joined(separator: " ")
                return """
                        \(names))
                            COMPREPLY=($(compgen -W \(quoted(values)) -- "$current"))
                            return
                            ;;
                    """
            }
        }
        return cases.joined(separator: "\n")
    }

    private static func bashCase(_ verb: Verb) -> String {
        let options = Help.completed(verb.completedOptions)
        return """
                \(verb.name))
            \(bashLists(options, words: completedWords(of: verb)))
                    ;;
            """
    }

    private static func completedWords(of verb: Verb) -> String {
        verb.name == Verb.help.name ? commands : verb.subcommandWords
    }

    private static func bashLists(_ options: [ToolOption], words: String) -> String {
        let valued = options.filter(\.takesValue).flatMap(\.words).joined(separator: " ")
        return """
                    options=\(quoted(options.flatMap(\.words).joined(separator: " ")))
                    valued=\(quoted(valued))
                    words=\(quoted(words))
            """
    }
}

// MARK: zsh

extension CompletionScript {
    private static var zsh: String {
        """
        #compdef security
        # Completion of security for zsh.
        _security() {
            local context state line
            typeset -A opt_args
            local -a commands=(
        \(Verb.table.map { "        " + quoted(zshEscaped("\($0.name):\($0.summary)", ":", after: 1)) }
            .joined(separator: "\n"))
            )
            _arguments -s -S -C \\
        \(zshSpecifications(tool)) \\
                '1:command:->command' '*::argument:->argument' && return
            case $state in
            command) _describe command commands ;;
            argument)
                case $words[1] in
        \(Verb.table.map(zshCase).joined(separator: "\n"))
                esac
                ;;
            esac
        }
        if [ "$funcstack[1]" = _security ]; then _security "$@"; else compdef _security security; fi

        """
    }

    private static func zshCase(_ verb: Verb) -> String {
        let operand = verb.operand.map { operand in
            let words = completedWords(of: verb)
            return
                " \\\n                \(quoted("*:\(operand.name):\(words.isEmpty ? "_files" : "(\(words))")"))"
        }
        return """
                    \(verb.name))
                        _arguments -s -S \\
            \(zshSpecifications(Help.completed(verb.completedOptions)))\(operand ?? "")
                        ;;
            """
    }

    private static func zshSpecifications(_ options: [ToolOption]) -> String {
        options.flatMap { option in
            option.words.map { word in
                let exclusion = option.isRepeatable ? "*" : "(\(option.words.joined(separator: " ")))"
                let help = zshEscaped(option.help, "[]:")
                let values = option.values.isEmpty ? "_files" : "(\(option.values.joined(separator: " ")))"
                let value = option.takesValue ? ":\(option.placeholder):\(values)" : ""
                // After a long name, the value may follow an equals sign; after a letter, it may follow
                // directly.
                let mark = !option.takesValue ? "" : word.hasPrefix("--") ? "=" : "+"
                return "                " + quoted("\(exclusion)\(word)\(mark)[\(help)]\(value)")
            }
        }
        .joined(separator: " \\\n")
    }

    /// Escapes the characters that `special` contains with backslashes, except the first `count` of them.
    private static func zshEscaped(_ text: String, _ special: String, after count: Int = 0) -> String {
        var (escaped, left) = ("", count)
        for character in text {
            if special.contains(character) {
                if left > 0 { left -= 1 } else { escaped += "\\" }
            }
            escaped.append(character)
        }
        return escaped
    }
}

// MARK: fish

extension CompletionScript {
    private static var fish: String {
        let commands = Verb.table.map {
            "complete -c security -n __fish_use_subcommand -f -a \($0.name) -d \(fishQuoted($0.summary))\n"
        }
        let tool = tool.map { fishLine($0, "__fish_use_subcommand") }
        let options = Verb.table.flatMap { verb in
            Help.completed(verb.completedOptions).map {
                fishLine($0, "'__fish_seen_subcommand_from \(verb.name)'")
            }
        }
        let help =
            "complete -c security -n '__fish_seen_subcommand_from help' -f -a '\(Self.commands)'\n"
        let words = Verb.table.filter { !$0.subcommands.isEmpty }.map {
            "complete -c security -n '__fish_seen_subcommand_from \($0.name)' -a '\($0.subcommandWords)'\n"
        }
        return "# Completion of security for fish.\n" + (tool + commands + options + words).joined() + help
    }

    private static func fishLine(_ option: ToolOption, _ condition: String) -> String {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let values = option.values.isEmpty ? "" : " -f -a '\(option.values.joined(separator: " "))'"
        let value = option.takesValue ? " -r\(values)" : ""
        return "complete -c security -n \(condition)\(letter) -l \(option.name)\(value)"
            + " -d \(fishQuoted(option.help))\n"
    }

    /// Quotes a word with single quotation marks for fish, where a backslash escapes quotation marks.
    private static func fishQuoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'"))'"
    }
}
