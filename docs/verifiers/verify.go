// Verifies a webhook with nothing but Go's standard library. The body is what io.ReadAll(request.Body) gives.
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

const service = "Service" // The pharmacy's word in its header names.
const toleranceSeconds = 300

// VerifyService tells whether the pharmacy sent this to this URL, for the endpoint with this secret. The URL is
// spelled as you registered it.
func VerifyService(registered string, body []byte, headers http.Header, clientSecret, webhookSecret string) bool {
	digest := sha256.Sum256([]byte(clientSecret))
	key := hex.EncodeToString(digest[:])
	// QueryEscape keeps A-Z a-z 0-9 _ . - ~ and writes a space as +: just what is wanted.
	signature := sign(key, url.QueryEscape("POST"+registered+string(body)))
	return same(signature, headers.Get("X-"+service+"-Signature")) &&
		same(sign(key, webhookSecret), headers.Get("X-"+service+"-Secret"))
}

// VerifyStandard is Standard Webhooks: the same, and not an old request played again. Now is time.Now().Unix().
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

// The newline comes after the digest, before base64.
func sign(key, text string) string {
	mac := hmac.New(sha1.New, []byte(key))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(append(mac.Sum(nil), '\n'))
}

func same(expected, received string) bool {
	return hmac.Equal([]byte(expected), []byte(received))
}
