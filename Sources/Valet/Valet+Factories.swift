// SPDX-License-Identifier: Apache-2.0

extension Valet {
    /// Returns a valet that names no access group.
    ///
    /// It stores values in the first of the program's access groups. Other programs that have this group can read the
    /// values.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessibility: When values are readable; part of the sandbox's name.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func valet(with identifier: Identifier, accessibility: Accessibility) -> Valet {
        of(.standard(identifier, .valet(accessibility)))
    }

    /// Returns a valet for values that synchronize between the user's devices.
    ///
    /// On Linux, values synchronize if the user has joined the keychain to a circle of devices with `security sync`.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessibility: When values are readable; part of the sandbox's name.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func iCloudValet(with identifier: Identifier, accessibility: CloudAccessibility) -> Valet {
        of(.standard(identifier, .iCloud(accessibility)))
    }

    /// Returns a valet for values shared by the programs of an access group.
    ///
    /// - Parameters:
    ///   - groupIdentifier: The access group, which must be in the program's entitlements.
    ///   - identifier: The name of the sandbox, if the group has several.
    ///   - accessibility: When values are readable; part of the sandbox's name.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func sharedGroupValet(
        with groupIdentifier: SharedGroupIdentifier,
        identifier: Identifier? = nil,
        accessibility: Accessibility
    ) -> Valet {
        of(.sharedGroup(groupIdentifier, identifier, .valet(accessibility)))
    }

    /// Returns a valet for synchronizing values shared by an access group.
    ///
    /// - Parameters:
    ///   - groupIdentifier: The access group, which must be in the program's entitlements.
    ///   - identifier: The name of the sandbox, if the group has several.
    ///   - accessibility: When values are readable; part of the sandbox's name.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func iCloudSharedGroupValet(
        with groupIdentifier: SharedGroupIdentifier,
        identifier: Identifier? = nil,
        accessibility: CloudAccessibility
    ) -> Valet {
        of(.sharedGroup(groupIdentifier, identifier, .iCloud(accessibility)))
    }

    /// Returns a valet that uses the identifier as its service.
    ///
    /// The valet also finds third-party items of that service. The accessibility is not part of the service name:
    /// each key exists once, and writing a value gives it the valet's accessibility.
    ///
    /// - Parameters:
    ///   - identifier: The service.
    ///   - accessibility: When values are readable. The valet finds only values of this accessibility.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func valet(
        withExplicitlySet identifier: Identifier,
        accessibility: Accessibility
    ) -> Valet {
        of(.standardOverride(service: identifier, .valet(accessibility)))
    }

    /// Returns a valet for synchronizing values that uses the identifier as its service.
    ///
    /// - Parameters:
    ///   - identifier: The service.
    ///   - accessibility: When values are readable. The valet finds only values of this accessibility.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func iCloudValet(
        withExplicitlySet identifier: Identifier,
        accessibility: CloudAccessibility
    ) -> Valet {
        of(.standardOverride(service: identifier, .iCloud(accessibility)))
    }

    /// Returns a valet for an access group, with the group's name as its service.
    ///
    /// The service is the name of the group without its prefix.
    ///
    /// - Parameters:
    ///   - identifier: The access group, which must be in the program's entitlements.
    ///   - accessibility: When values are readable. The valet finds only values of this accessibility.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func sharedGroupValet(
        withExplicitlySet identifier: SharedGroupIdentifier,
        accessibility: Accessibility
    ) -> Valet {
        of(.sharedGroupOverride(service: identifier, .valet(accessibility)))
    }

    /// Returns a valet for synchronizing values, with the group name as its service.
    ///
    /// - Parameters:
    ///   - identifier: The access group, which must be in the program's entitlements.
    ///   - accessibility: When values are readable. The valet finds only values of this accessibility.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func iCloudSharedGroupValet(
        withExplicitlySet identifier: SharedGroupIdentifier,
        accessibility: CloudAccessibility
    ) -> Valet {
        of(.sharedGroupOverride(service: identifier, .iCloud(accessibility)))
    }
}
