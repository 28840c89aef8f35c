<?php
// Verifies a webhook with PHP's built-in functions alone (8.0 or later). $body is the raw request body from
// file_get_contents('php://input'); $headers has lower-case names.
declare(strict_types=1);

namespace Webhook;

const SERVICE = 'service'; // The pharmacy's name in its header names.
const TOLERANCE_S = 300;

/** True if the pharmacy sent this to $url, exactly as registered, for the endpoint with this secret. */
function verify_service(string $url, string $body, array $headers, string $client_secret, string $webhook_secret): bool
{
    $key = hash('sha256', $client_secret);
    $signature = sign($key, form_encode('POST' . $url . $body));
    return hash_equals($signature, $headers['x-' . SERVICE . '-signature'] ?? '')
        && hash_equals(sign($key, $webhook_secret), $headers['x-' . SERVICE . '-secret'] ?? '');
}

/** Checks the Standard Webhooks headers, which also prevent replays. */
function verify_standard(string $body, array $headers, string $signing_secret, ?int $now = null): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!preg_match('/^\d{1,15}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    $secret = base64_decode(preg_replace('/^whsec_/', '', $signing_secret));
    $signed = ($headers['webhook-id'] ?? '') . ".$timestamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $secret, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** Append the newline to the digest before base64. */
function sign(string $key, string $text): string
{
    return base64_encode(hash_hmac('sha1', $text, $key, true) . "\n");
}

/** Keeps A-Z a-z 0-9 _ . - ~ and encodes a space as + and every other byte as %XX. */
function form_encode(string $bytes): string
{
    return str_replace('%20', '+', rawurlencode($bytes));
}
