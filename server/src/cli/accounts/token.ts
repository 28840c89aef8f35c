import { scopeNames } from "@pestle/contract";
import { WrongUsage } from "../errors.ts";
import type { CommandRow } from "../program.ts";
import { type PartnerOptions, partnerAccount, partnerOptions } from "./partner-account.ts";
import { requestToken } from "./request-token.ts";

type TokenOptions = PartnerOptions & { scope?: string[]; scopes?: boolean };

export const tokenCommand: CommandRow = {
  name: "token",
  summary: "ask a running token server for an access token, and print it alone",
  options: [
    ...partnerOptions,
    ["--scope <scope...>", "what to ask for (default: partners)", { choices: scopeNames }],
    ["--no-scopes", "ask for none, as a credential without scopes must"],
  ],
  examples: [
    'curl -H "Authorization: Bearer $(pestle token)" -H "Accept: application/json" http://127.0.0.1:8080/v1/brands',
    'token --partner "Juniper Care" --json',
    "pestle token --client-id 3f9k2m8x1q7z-a1b2c3d4 --environment production --secret-stdin < secret.txt",
  ],
  async run(options: TokenOptions, _argument, env) {
    if (options.scopes === false && options.scope !== undefined) {
      throw new WrongUsage("Give --scope or --no-scopes, one of them.");
    }
    const account = await partnerAccount(options, env);
    const scopes = options.scopes === false ? [] : (options.scope ?? ["partners"]);
    const answer = await requestToken(account, scopes);
    return { data: answer, text: answer.access_token };
  },
};
