import hashlib, hmac

def is_genuine(raw_body: bytes, signature: str | None, previous: str | None, secret: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return any(
        hmac.compare_digest(expected.encode(), header.encode()) for header in (signature, previous) if header
    )
