<?php
// Reads a request a line and says for each whether both verifiers take it: "true false" and the like.
require $argv[1];

const NAMES = ['x-service-signature', 'x-service-secret', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
while (($line = fgets(STDIN)) !== false) {
    $fields = array_map('base64_decode', explode("\t", rtrim($line, "\n")));
    [$url, $body, $client_secret, $webhook_secret, $signing_secret, $now] = $fields;
    $headers = array_combine(NAMES, array_slice($fields, 6));
    echo json_encode(Webhook\verify_service($url, $body, $headers, $client_secret, $webhook_secret)), ' ',
        json_encode(Webhook\verify_standard($body, $headers, $signing_secret, (int) $now)), "\n";
}
