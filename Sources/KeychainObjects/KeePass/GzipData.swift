// SPDX-License-Identifier: Apache-2.0

#if KeePass
import CKeychainKeePass

enum GzipData {
    /// Decompresses the data.
    ///
    /// - Throws: `tooLarge` if the result has more than `limit` bytes; `damaged` if the data is invalid or incomplete,
    ///   or zlib fails while it reads the data; `outOfMemory` if zlib cannot start.
    static func decompress(_ bytes: [UInt8], limit: Int) throws(KeePassError) -> [UInt8] {
        var stream = unsafe z_stream()
        // 15 is gzip's window size of 2^15 bytes; adding 16 makes zlib expect a gzip header.
        guard unsafe ckeepass_inflate_init(&stream, 15 + 16) == Z_OK else { throw .outOfMemory }
        defer { unsafe inflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8]())
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var code = Z_OK
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            while code == Z_OK, output.count <= limit {
                unsafe chunk.withUnsafeMutableBufferPointer { chunk in
                    unsafe stream.next_out = chunk.baseAddress
                    unsafe stream.avail_out = UInt32(chunk.count)
                    code = unsafe inflate(&stream, Z_NO_FLUSH)
                    unsafe output += chunk.prefix(chunk.count - Int(stream.avail_out))
                }
            }
        }
        guard output.count <= limit else { throw .tooLarge }
        guard code == Z_STREAM_END else { throw .damaged }
        return output
    }
}
#endif
