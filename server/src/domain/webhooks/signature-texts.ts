/** How each header of a delivery is made. */
export const signatureTexts = {
  service: "base64( HMAC-SHA1( key, base ) + newline ), where key = hex( SHA-256( client secret ) )",
  secret: "base64( HMAC-SHA1( key, webhook secret ) + newline ): the same on every request",
  id: "The ID of the event, the same on every attempt",
  timestamp: "Real time of the attempt, in Unix seconds",
  signature: 'base64( HMAC-SHA256( signing secret, "webhook-id.webhook-timestamp.body" ) )',
} as const;
