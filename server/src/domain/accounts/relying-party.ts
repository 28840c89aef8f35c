/** Who the browser registers a passkey for: `rp_id` is a host name, `origin` the page's scheme, host and port. */
export type RelyingParty = { rp_id: string; origin: string };

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const IP_ADDRESS = /^(\[.*\]|\d+\.\d+\.\d+\.\d+)$/;

/**
 * Derives it from the public URL; null if browsers would refuse. They need HTTPS and a host name, and make an exception
 * for the name `localhost`.
 */
export function relyingPartyOf(base_url: string): RelyingParty | null {
  if (!URL.canParse(base_url)) return null;
  const { protocol, hostname, port, origin } = new URL(base_url);
  if (LOOPBACK.test(hostname)) {
    return { rp_id: "localhost", origin: `${protocol}//localhost${port === "" ? "" : `:${port}`}` };
  }
  return protocol !== "https:" || IP_ADDRESS.test(hostname) ? null : { rp_id: hostname, origin };
}
