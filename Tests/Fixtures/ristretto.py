# SPDX-License-Identifier: Apache-2.0
"""The group ristretto255, written from RFC 9496: encoding, decoding, addition, and the map from 64 bytes."""

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578

ZERO = (0, 1, 1, 0)


def is_negative(number):
    return number % P & 1


def absolute(number):
    return -number % P if is_negative(number) else number % P


def sqrt_ratio(u, v):
    """Returns whether u/v is a square, and the root of u/v if it is one, or else the root of SQRT_M1 * u/v."""
    root = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * root * root % P
    is_flipped = check == -u % P
    if is_flipped or check == -u * SQRT_M1 % P:
        root = root * SQRT_M1 % P
    return check == u % P or is_flipped, absolute(root)


def add(left, right):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = left, right
    a, b, c, d = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2 * D * t1 * t2, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point(message):
    """Maps 64 bytes to a point."""
    return add(_point(message[:32]), _point(message[32:]))


def _point(message):
    t = int.from_bytes(message, "little") & (2**255 - 1)
    r = SQRT_M1 * t * t % P
    u, v = (r + 1) * (1 - D * D) % P, (-1 - r * D) * (r + D) % P
    is_square, s = sqrt_ratio(u, v)
    c = -1
    if not is_square:
        s, c = -absolute(s * t) % P, r
    n = c * (r - 1) * (D - 1) ** 2 - v
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def encode(element):
    x, y, z, t = element
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    _, root = sqrt_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = root * u1 % P, root * u2 % P
    inverse = den1 * den2 * t % P
    if is_negative(t * inverse):
        x, y, den = y * SQRT_M1, x * SQRT_M1, den1 * INVSQRT_A_MINUS_D
    else:
        den = den2
    if is_negative(x * inverse):
        y = -y
    return absolute(den * (z - y)).to_bytes(32, "little")


def decode(encoded):
    """Returns the point; raises ValueError if the bytes encode none."""
    s = int.from_bytes(encoded, "little")
    if s >= P or is_negative(s):
        raise ValueError("the encoding is not canonical")
    u1, u2 = 1 - s * s, 1 + s * s
    v = (-D * u1 * u1 - u2 * u2) % P
    is_square, root = sqrt_ratio(1, v * u2 * u2 % P)
    den_x = root * u2 % P
    x, y = absolute(2 * s * den_x), u1 * root * den_x * v % P
    if not is_square or is_negative(x * y) or y == 0:
        raise ValueError("the bytes encode no point")
    return x, y, 1, x * y % P
