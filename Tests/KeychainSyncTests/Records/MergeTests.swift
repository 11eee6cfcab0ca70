// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainSync
import KeychainTestSupport
import Testing

@Suite struct MergeTests {
    private static let base: UInt64 = 1_700_000_000_000

    @Test func `a clock is later than the version that it replaces, even if the time is not`() {
        let first = HybridClock(time: Self.base, after: nil)
        #expect(first.milliseconds == Self.base)
        let later = HybridClock(time: Self.base - 10_000, after: first)
        #expect(later > first)
        #expect(later.value == first.value + 1)
        #expect(HybridClock(time: Self.base + 1, after: first).milliseconds == Self.base + 1)
    }

    @Test(
        arguments: [
            // 1970 counts as 2001, the year 3000 as 2100.
            (0, 978_307_200_000), (32_503_680_000_000, 4_102_444_800_000), (base, base),
        ] as [(UInt64, UInt64)]
    )
    func `the time of a device is clamped to a range`(time: UInt64, used: UInt64) {
        #expect(HybridClock(time: time, after: nil).milliseconds == used)
    }

    @Test func `an item that was edited in 2100 can be edited again`() {
        let future = HybridClock(time: .max, after: nil)
        #expect(HybridClock(time: Self.base, after: future) > future)
        #expect(HybridClock(time: Self.base, after: future) <= .latest)
    }

    private static func order(_ generator: inout SeededGenerator) -> RecordOrder {
        RecordOrder(
            clock: HybridClock(time: base + .random(in: 0..<2, using: &generator), after: nil),
            kind: Bool.random(using: &generator) ? .item : .tombstone,
            device: Bytes16([UInt8](repeating: .random(in: 0..<2, using: &generator), count: 16)) ?? .zero,
            digest: Bytes32([UInt8](repeating: .random(in: 0..<2, using: &generator), count: 32)) ?? .zero
        )
    }

    /// The version that remains when a device receives versions in this order.
    private static func result(_ versions: [RecordOrder]) -> RecordOrder? {
        versions.reduce(nil) { (local: RecordOrder?, remote) in
            guard let local else { return remote }
            let decision = MergeDecision(
                remote: remote,
                local: local,
                isDirty: false,
                isConcurrent: true,
                isEqual: false
            )
            return switch decision {
            case .adopt, .apply, .applyKeepingLocal: remote
            case .keepLocal, .keepLocalKeepingRemote: local
            }
        }
    }

    @Test func `every order of arrival, with repetitions, leads to the same version`() {
        var generator = SeededGenerator(seed: Sampling.seed)
        for _ in 0..<2_000 {
            let versions = (0..<5).map { _ in Self.order(&generator) }
            let expected = versions.max()
            for _ in 0..<4 {
                let repeated = versions + [versions.randomElement(using: &generator)].compactMap { $0 }
                #expect(Self.result(repeated.shuffled(using: &generator)) == expected)
            }
        }
    }

    @Test(arguments: [
        // In each row: whether the remote version wins the comparison, whether the local version was not sent yet,
        // whether the two versions are concurrent, whether they are equal; and the expected decision.
        (true, false, false, false, MergeDecision.apply),
        (true, false, true, false, .applyKeepingLocal),
        (true, true, false, false, .applyKeepingLocal),
        (true, true, true, true, .apply),
        (false, false, false, false, .keepLocal),
        (false, false, true, false, .keepLocalKeepingRemote),
        (false, true, false, false, .keepLocalKeepingRemote),
        (false, true, false, true, .keepLocal),
    ])
    func `the loser of two concurrent edits is kept`(
        isGreater: Bool,
        isDirty: Bool,
        isConcurrent: Bool,
        isEqual: Bool,
        expected: MergeDecision
    ) {
        func order(_ time: UInt64) -> RecordOrder {
            RecordOrder(
                clock: HybridClock(time: time, after: nil),
                kind: .item,
                device: .zero,
                digest: .zero
            )
        }
        let decision = MergeDecision(
            remote: order(Self.base + (isGreater ? 2 : 0)),
            local: order(Self.base + 1),
            isDirty: isDirty,
            isConcurrent: isConcurrent,
            isEqual: isEqual
        )
        #expect(decision == expected)
    }

    @Test func `the same version from another device is adopted, and not sent again`() {
        let clock = HybridClock(time: Self.base, after: nil)
        for kind in [RecordKind.item, .tombstone] {
            let local = RecordOrder(clock: clock, kind: kind, device: .zero, digest: .zero)
            let remote = RecordOrder(clock: clock, kind: kind, device: .random(), digest: .zero)
            for (left, right) in [(local, remote), (remote, local)] {
                let decision = MergeDecision(
                    remote: left,
                    local: right,
                    isDirty: true,
                    isConcurrent: false,
                    isEqual: true
                )
                #expect(decision == .adopt)
            }
        }
    }

    @Test func `an item wins over a tombstone with the same clock`() {
        let clock = HybridClock(time: Self.base, after: nil)
        let item = RecordOrder(clock: clock, kind: .item, device: .zero, digest: .zero)
        let device = Bytes16([UInt8](repeating: 9, count: 16)) ?? .zero
        let tombstone = RecordOrder(clock: clock, kind: .tombstone, device: device, digest: .zero)
        #expect(tombstone < item)
        #expect(!(item < tombstone))
    }
}
