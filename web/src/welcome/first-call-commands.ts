import type { Welcome } from "./use-welcome.ts";

export type Environment = "sandbox" | "production";

/** The two commands of a first call, for a POSIX shell with curl. */
export function firstCallCommands(
  welcome: Pick<Welcome, "base_url" | "auth_url" | "sandbox_auth_url">,
  environment: Environment,
): { token: string; shipping_methods: string } {
  const tokenServer = environment === "sandbox" ? welcome.sandbox_auth_url : welcome.auth_url;
  return {
    token: `CLIENT_ID=your_client_id
CLIENT_SECRET=your_client_secret
TOKEN=$(curl -sS ${tokenServer}/oauth/token \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials -d scope=partners \\
  | sed 's/.*"access_token" *: *"\\([^"]*\\)".*/\\1/')
echo "$TOKEN"`,
    shipping_methods: `curl -sS ${welcome.base_url}/shipping_methods \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Accept: application/json"`,
  };
}
