// SPDX-License-Identifier: Apache-2.0

extension Valet {
    /// A valet for values of this program alone.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessibility: When its values can be read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func valet(with identifier: Identifier, accessibility: Accessibility) -> Valet {
        of(.standard(identifier, .valet(accessibility)))
    }

    /// A valet for values that synchronize between the user's devices.
    ///
    /// On Linux they are marked so and stay where they are.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessibility: When its values can be read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func iCloudValet(with identifier: Identifier, accessibility: CloudAccessibility) -> Valet {
        of(.standard(identifier, .iCloud(accessibility)))
    }

    /// A valet for values that the programs of an access group share.
    ///
    /// - Parameters:
    ///   - groupIdentifier: The access group, which the program's entitlements must name.
    ///   - identifier: The name of the sandbox, if the group has several.
    ///   - accessibility: When its values can be read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func sharedGroupValet(
        with groupIdentifier: SharedGroupIdentifier,
        identifier: Identifier? = nil,
        accessibility: Accessibility
    ) -> Valet {
        of(.sharedGroup(groupIdentifier, identifier, .valet(accessibility)))
    }

    /// A valet for values that the programs of an access group share and that synchronize.
    ///
    /// - Parameters:
    ///   - groupIdentifier: The access group, which the program's entitlements must name.
    ///   - identifier: The name of the sandbox, if the group has several.
    ///   - accessibility: When its values can be read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func iCloudSharedGroupValet(
        with groupIdentifier: SharedGroupIdentifier,
        identifier: Identifier? = nil,
        accessibility: CloudAccessibility
    ) -> Valet {
        of(.sharedGroup(groupIdentifier, identifier, .iCloud(accessibility)))
    }

    /// A valet whose items have the identifier as their service, and nothing else.
    ///
    /// It finds what others wrote under that service. The accessibility is no part of the name: a key exists once,
    /// whatever it is protected by, and writing it makes it the valet's.
    ///
    /// - Parameters:
    ///   - identifier: The service.
    ///   - accessibility: When its values can be read; the valet finds only those of this accessibility.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func valet(
        withExplicitlySet identifier: Identifier,
        accessibility: Accessibility
    ) -> Valet {
        of(.standardOverride(service: identifier, .valet(accessibility)))
    }

    /// The same for values that synchronize.
    ///
    /// - Parameters:
    ///   - identifier: The service.
    ///   - accessibility: When its values can be read; the valet finds only those of this accessibility.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func iCloudValet(
        withExplicitlySet identifier: Identifier,
        accessibility: CloudAccessibility
    ) -> Valet {
        of(.standardOverride(service: identifier, .iCloud(accessibility)))
    }

    /// A valet whose items are in an access group and have the group's name without its prefix as their service.
    ///
    /// - Parameters:
    ///   - identifier: The access group, which the program's entitlements must name.
    ///   - accessibility: When its values can be read; the valet finds only those of this accessibility.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func sharedGroupValet(
        withExplicitlySet identifier: SharedGroupIdentifier,
        accessibility: Accessibility
    ) -> Valet {
        of(.sharedGroupOverride(service: identifier, .valet(accessibility)))
    }

    /// The same for values that synchronize.
    ///
    /// - Parameters:
    ///   - identifier: The access group, which the program's entitlements must name.
    ///   - accessibility: When its values can be read; the valet finds only those of this accessibility.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func iCloudSharedGroupValet(
        withExplicitlySet identifier: SharedGroupIdentifier,
        accessibility: CloudAccessibility
    ) -> Valet {
        of(.sharedGroupOverride(service: identifier, .iCloud(accessibility)))
    }
}
