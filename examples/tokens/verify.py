"""Verifies the signed tokens of Toolwire with Python's standard library: docs/tokens.md, The format."""
import base64, hmac, json, uuid

CODES = {"promise": (1, "prom_"), "continuation": (2, "cont_"), "context": (3, "ctx_")}


def verify(keys, kind, token, principal, now):
    """The claims of a token; None if it is invalid or expired. `keys` has the secrets by kid."""
    code, prefix = CODES[kind]
    text = token.removeprefix(prefix)
    if text == token:
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text or len(data) < 2:
        return None
    kid_end = 2 + data[1]
    head, claims, mac = data[: kid_end + 22], data[kid_end + 22 : -32], data[-32:]
    secret = keys.get(data[2:kid_end].decode("latin-1"))
    if secret is None or data[0] != 1 or len(data) < kid_end + 22 + 32 or data[kid_end] != code:
        return None
    extracted = hmac.digest(bytes(32), secret.encode(), "sha256")
    key = hmac.digest(extracted, f"toolwire/1/{kind}".encode() + b"\x01", "sha256")
    bound = json.dumps(principal, ensure_ascii=False).encode() + head
    if not hmac.compare_digest(mac, hmac.digest(key, bound + claims, "sha256")):
        return None
    exp = int.from_bytes(head[kid_end + 1 : kid_end + 6], "big")
    tool, *rest = json.loads(claims)
    said = {"id": str(uuid.UUID(bytes=head[kid_end + 6 :])), "expSeconds": exp, "tool": tool, "data": rest}
    return said if now < exp + 60 else None


keys = {"k1": "this-secret-is-public-never-sign-with-it"}
token = "prom_AQJrMQEAdzWUAAGS8Oh7HH0-ik8SNFZ4kKtbInJlbmRlcl92aWRlbyIseyJqb2IiOiJhYmMifV3gzd3GLsx904Bna31kGBe8JU8aCyey_1CS9q8OarBYHg"
said = verify(keys, "promise", token, "", now=1_900_000_000)
assert said is not None and said["tool"] == "render_video" and said["data"] == [{"job": "abc"}]
assert verify(keys, "promise", token, "ada", now=1_900_000_000) is None
assert verify(keys, "promise", token, "", now=2_000_000_060) is None
