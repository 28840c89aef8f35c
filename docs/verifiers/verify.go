// Verifies a webhook with Go's standard library alone. The body is the result of io.ReadAll(request.Body).
package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const service = "Service" // The pharmacy's name in its header names.
const toleranceSeconds = 300

// VerifyService reports whether the pharmacy sent this to this URL for the endpoint with this secret. Pass the URL
// exactly as registered.
func VerifyService(registered string, body []byte, headers http.Header, clientSecret, webhookSecret string) bool {
	digest := sha256.Sum256([]byte(clientSecret))
	key := hex.EncodeToString(digest[:])
	// QueryEscape keeps A-Z a-z 0-9 _ . - ~ and encodes a space as +, as the scheme requires.
	signature := sign(key, url.QueryEscape("POST"+registered+string(body)))
	return same(signature, headers.Get("X-"+service+"-Signature")) &&
		same(sign(key, webhookSecret), headers.Get("X-"+service+"-Secret"))
}

// VerifyStandard checks the Standard Webhooks headers, which also prevent replays. Pass time.Now().Unix() as now.
func VerifyStandard(body []byte, headers http.Header, signingSecret string, now int64) bool {
	timestamp := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 62)
	if err != nil || now-int64(seconds) > toleranceSeconds || int64(seconds)-now > toleranceSeconds {
		return false
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signingSecret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(headers.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if same(expected, signature) {
			return true
		}
	}
	return false
}

// Append the newline to the digest before base64.
func sign(key, text string) string {
	mac := hmac.New(sha1.New, []byte(key))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(append(mac.Sum(nil), '\n'))
}

func same(expected, received string) bool {
	return hmac.Equal([]byte(expected), []byte(received))
}
