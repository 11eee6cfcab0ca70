import Crypto
package let x = SymmetricKey(size: .bits256)
