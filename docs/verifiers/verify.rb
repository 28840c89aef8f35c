# Verifies a webhook with Ruby's standard library alone (2.7 or later). `body` is the raw request body;
# `headers` is a hash with lower-case names.
require "erb"
require "openssl"

module Webhook
  SERVICE = "service" # The pharmacy's name in its header names.
  TOLERANCE_S = 300

  module_function

  # True if the pharmacy sent this to `url`, exactly as registered, for the endpoint with this secret.
  def verify_service(url, body, headers, client_secret, webhook_secret)
    key = OpenSSL::Digest::SHA256.hexdigest(client_secret)
    signature = sign(key, form_encode("POST".b + url.b + body.b))
    same(signature, headers["x-#{SERVICE}-signature"]) &&
      same(sign(key, webhook_secret), headers["x-#{SERVICE}-secret"])
  end

  # Checks the Standard Webhooks headers, which also prevent replays.
  def verify_standard(body, headers, signing_secret, now = Time.now.to_i)
    timestamp = headers["webhook-timestamp"].to_s
    return false unless timestamp.match?(/\A\d+\z/) && (now - timestamp.to_i).abs <= TOLERANCE_S

    secret = signing_secret.delete_prefix("whsec_").unpack1("m")
    signed = "#{headers["webhook-id"]}.#{timestamp}.".b + body.b
    expected = "v1,#{[OpenSSL::HMAC.digest("SHA256", secret, signed)].pack("m0")}"
    headers["webhook-signature"].to_s.split(" ").any? { |signature| same(expected, signature) }
  end

  # Append the newline to the digest before base64.
  def sign(key, text)
    [OpenSSL::HMAC.digest("SHA1", key, text) + "\n".b].pack("m0")
  end

  # Keeps A-Z a-z 0-9 _ . - ~ and encodes a space as + and every other byte as %XX.
  def form_encode(bytes)
    ERB::Util.url_encode(bytes).gsub("%20", "+")
  end

  def same(expected, received)
    received = received.to_s
    expected.bytesize == received.bytesize && OpenSSL.fixed_length_secure_compare(expected, received)
  end
end
