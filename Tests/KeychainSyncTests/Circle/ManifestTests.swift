// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

@Suite struct ManifestTests {
    private let admin = DeviceKeys.random()
    private let other = DeviceKeys.random()
    private let keys = CircleFixture.keys()

    private func first() throws -> Manifest { try #require(CircleFixture.first(admin, keys)) }

    private func second(after first: Manifest) throws -> Manifest {
        try #require(
            CircleFixture.next(after: first, keys, by: admin) {
                $0.members.append((other.publicKeys, .member, "other"))
            }
        )
    }

    @Test func `the identifier of a device is the known digest of its public keys`() {
        #expect(CircleFixture.fixedDevice.identifier.hexadecimal == "0eac6dde4ce9936e36fe4d52d0aecfdc")
    }

    @Test func `the commitment to the keys of an epoch is the known digest`() {
        let keys = EpochKeys(
            epoch: 1,
            key: CircleFixture.secret(repeatElement(0x11, count: 32)),
            index: CircleFixture.secret(repeatElement(0x22, count: 32))
        )
        #expect(
            keys.commitment(in: CircleFixture.circle).bytes.hexadecimal
                == "476f7db6fc8479dab98235563bb324ac2ebb2014a7105d805782bda6374f49b8"
        )
    }

    @Test func `a first manifest and its successor are valid, and each member opens the keys`() throws {
        let first = try first()
        let second = try second(after: first)
        #expect(first.isValidFirst)
        #expect(second.isValid(after: first))
        #expect(Manifest(decoding: second.encoded) == second)
        for device in [admin, other] {
            let opened = try #require(second.keys(of: device))
            #expect(opened.key == keys.key)
            #expect(opened.index == keys.index)
        }
        #expect(second.keys(of: .random()) == nil)
        let member = try #require(second.member(other.identifier))
        #expect(second.name(of: member, under: keys) == "other")
    }

    @Test func `a changed bit anywhere makes a manifest invalid`() throws {
        let first = try first()
        let second = try second(after: first)
        for index in second.encoded.indices {
            var bytes = second.encoded
            bytes[index] ^= 1 << UInt8(index % 8)
            #expect(Manifest(decoding: bytes)?.isValid(after: first) != true, "byte \(index)")
        }
        for count in 0..<second.encoded.count {
            #expect(Manifest(decoding: Array(second.encoded.prefix(count))) == nil)
        }
    }

    @Test func `a manifest signed by a device that is no admin is invalid`() throws {
        let first = try first()
        let second = try second(after: first)
        let byMember = CircleFixture.next(after: second, keys, by: other) { _ in }
        #expect(try #require(byMember).isValid(after: second) == false)
        let byStranger = CircleFixture.next(after: first, keys, by: .random()) { _ in }
        #expect(try #require(byStranger).isValid(after: first) == false)
    }

    @Test func `removing a device needs a new epoch and an entry in the list of removed devices`() throws {
        let second = try second(after: first())
        let newKeys = EpochKeys(epoch: 2, key: .random(), index: keys.index)
        let entry = RemovedDevice(
            device: other.identifier,
            sign: other.sign.publicKey,
            sequence: 7,
            headDigest: .zero,
            sum: .zero
        )
        let valid = try #require(
            CircleFixture.next(after: second, newKeys, by: admin, former: keys) {
                $0.members.removeLast()
                $0.removed.append(entry)
            }
        )
        #expect(valid.isValid(after: second))
        #expect(valid.keys(of: other) == nil)
        #expect(valid.signingKey(of: other.identifier) == other.sign.publicKey)
        let former = try #require(valid.formerKeys(under: newKeys, index: keys.index))
        #expect(former.key == keys.key)
        #expect(former.epoch == 1)

        let sameEpoch = CircleFixture.next(after: second, keys, by: admin) {
            $0.members.removeLast()
            $0.removed.append(entry)
        }
        #expect(try #require(sameEpoch).isValid(after: second) == false)
        let unlisted = CircleFixture.next(after: second, newKeys, by: admin, former: keys) {
            $0.members.removeLast()
        }
        #expect(try #require(unlisted).isValid(after: second) == false)
        let returned = CircleFixture.next(after: valid, newKeys, by: admin) {
            $0.members.append((other.publicKeys, .member, "other"))
        }
        #expect(try #require(returned).isValid(after: valid) == false)
    }
}
