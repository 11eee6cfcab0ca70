// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct AddGenericPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-generic-password",
        abstract: "Adds a generic password.",
        discussion: """
            The account and the service are required. Without a label, the service is the label. Without a password \
            option, the password is empty, or with -U stays as it is.
            """
    )

    @OptionGroup var item: ItemOptions
    @OptionGroup var generic: GenericOptions
    @OptionGroup var add: AddOptions
    @Option(row: "legacy-password", .addGeneric) var legacyPassword: String?
}

struct AddInternetPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-internet-password",
        abstract: "Adds an internet password.",
        discussion: """
            The account and the server are required. Without a label, the server is the label; without a way to \
            authenticate, it is dflt. Without a password option, the password is empty, or with -U stays as it is.
            """
    )

    @OptionGroup var item: ItemOptions
    @OptionGroup var internet: InternetOptions
    @OptionGroup var add: AddOptions
}

struct FindGenericPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-generic-password",
        abstract: "Finds a generic password.",
        discussion: "The first item is shown that agrees in every attribute given."
    )

    @OptionGroup var item: ItemOptions
    @OptionGroup var generic: GenericOptions
    @OptionGroup var find: FindOptions
}

struct FindInternetPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-internet-password",
        abstract: "Finds an internet password.",
        discussion: "The first item is shown that agrees in every attribute given."
    )

    @OptionGroup var item: ItemOptions
    @OptionGroup var internet: InternetOptions
    @OptionGroup var find: FindOptions
}

struct DeleteGenericPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-generic-password",
        abstract: "Deletes a generic password.",
        discussion: "The first item is deleted that agrees in every attribute given; one must be."
    )

    @OptionGroup var item: ItemOptions
    @OptionGroup var generic: GenericOptions
    @OptionGroup var keychains: KeychainOperands
}

struct DeleteInternetPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-internet-password",
        abstract: "Deletes an internet password.",
        discussion: "The first item is deleted that agrees in every attribute given; one must be."
    )

    @OptionGroup var item: ItemOptions
    @OptionGroup var internet: InternetOptions
    @OptionGroup var keychains: KeychainOperands
}
