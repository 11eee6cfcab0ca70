// SPDX-License-Identifier: Apache-2.0

/// Valets of every accessibility, for tests.
extension Valet {
    class func permutations(with identifier: Identifier) -> [Valet] {
        Accessibility.allCases.map { .valet(with: identifier, accessibility: $0) }
    }

    class func permutations(
        with group: SharedGroupIdentifier,
        identifier: Identifier? = nil
    ) -> [Valet] {
        Accessibility.allCases.map {
            .sharedGroupValet(with: group, identifier: identifier, accessibility: $0)
        }
    }

    class func iCloudPermutations(with identifier: Identifier) -> [Valet] {
        CloudAccessibility.allCases.map { .iCloudValet(with: identifier, accessibility: $0) }
    }

    class func iCloudPermutations(
        with group: SharedGroupIdentifier,
        identifier: Identifier? = nil
    ) -> [Valet] {
        CloudAccessibility.allCases.map {
            .iCloudSharedGroupValet(with: group, identifier: identifier, accessibility: $0)
        }
    }

    class func permutations(withExplictlySet identifier: Identifier, shared: Bool = false) -> [Valet] {
        Accessibility.allCases.map { .valet(withExplicitlySet: identifier, accessibility: $0) }
    }

    class func permutations(withExplictlySet group: SharedGroupIdentifier) -> [Valet] {
        Accessibility.allCases.map { .sharedGroupValet(withExplicitlySet: group, accessibility: $0) }
    }

    class func iCloudPermutations(withExplictlySet identifier: Identifier, shared: Bool = false) -> [Valet] {
        CloudAccessibility.allCases.map { .iCloudValet(withExplicitlySet: identifier, accessibility: $0) }
    }

    class func iCloudPermutations(withExplictlySet group: SharedGroupIdentifier) -> [Valet] {
        CloudAccessibility.allCases.map {
            .iCloudSharedGroupValet(withExplicitlySet: group, accessibility: $0)
        }
    }
}
