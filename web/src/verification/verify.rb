require "openssl"

def genuine?(raw_body, signature, previous, secret)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)
  [signature, previous].any? do |header|
    OpenSSL.secure_compare(expected, header.to_s)
  end
end
