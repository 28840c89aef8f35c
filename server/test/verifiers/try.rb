# Reads a request a line and says for each whether both verifiers take it: "true false" and the like.
require File.expand_path(ARGV.shift)

NAMES = %w[x-service-signature x-service-secret webhook-id webhook-timestamp webhook-signature]
$stdin.each_line(chomp: true) do |line|
  url, body, client_secret, webhook_secret, signing_secret, now, *values = line.split("\t", -1).map { |field| field.unpack1("m") }
  headers = NAMES.zip(values).to_h
  puts [
    Webhook.verify_service(url, body, headers, client_secret, webhook_secret),
    Webhook.verify_standard(body, headers, signing_secret, now.to_i),
  ].join(" ")
end
