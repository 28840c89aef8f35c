<?php
// Calls the pharmacy's API with PHP's built-in functions alone (8.0 or later).
declare(strict_types=1);

final class Pharmacy
{
    private ?string $token = null;
    private int $renew_at = 0;

    public function __construct(private array $settings)
    {
    }

    public function get(string $path): array
    {
        return $this->call('GET', $path);
    }

    public function post(string $path, array $body): array
    {
        // The key makes it safe to send the same request again after a lost answer.
        $key = bin2hex(random_bytes(16));
        $headers = ['Content-Type: application/json', "Idempotency-Key: $key"];
        return $this->call('POST', $path, json_encode($body, JSON_THROW_ON_ERROR), $headers);
    }

    private function call(string $method, string $path, string $body = '', array $headers = []): array
    {
        $own = ['Accept: application/json', 'Authorization: Bearer ' . $this->token()];
        return send($method, $this->settings['PESTLE_BASE_URL'] . "/v1$path", $body, [...$own, ...$headers]);
    }

    private function token(): string
    {
        // A token works for hours. Ask for one when the old one is about to end, not for each request.
        if ($this->token === null || time() > $this->renew_at) {
            $form = http_build_query([
                'grant_type' => 'client_credentials',
                'scope' => 'partners',
                'client_id' => $this->settings['CLIENT_ID'],
                'client_secret' => $this->settings['CLIENT_SECRET'],
            ]);
            $headers = ['Content-Type: application/x-www-form-urlencoded'];
            $answer = send('POST', $this->settings['PESTLE_AUTH_URL'] . '/oauth/token', $form, $headers);
            $this->token = $answer['access_token'];
            $this->renew_at = time() + $answer['expires_in'] - 60;
        }
        return $this->token;
    }
}

function send(string $method, string $url, string $body, array $headers): array
{
    $options = ['method' => $method, 'header' => $headers, 'content' => $body, 'timeout' => 30, 'ignore_errors' => true];
    $text = file_get_contents($url, false, stream_context_create(['http' => $options]));
    if ($text === false) {
        throw new RuntimeException("No service answers at $url.");
    }
    $status = (int) explode(' ', $http_response_header[0])[1];
    if ($status >= 300) {
        // The body names the problem and the next step.
        throw new RuntimeException("$status: $text");
    }
    return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
}
