/** The only `client_assertion_type` (RFC 7523, 2.2). */
export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
