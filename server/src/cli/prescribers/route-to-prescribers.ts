import { WrongUsage } from "@pestle/cli/errors";
import { facts } from "@pestle/cli/output";
import { isLoopback } from "@pestle/contract";
import { portsIn, readConfig } from "../../config.ts";
import type { PharmacyVersion } from "../../domain/prescribers/pharmacy-message.ts";
import { readDemo } from "../../seed/demo-file.ts";
import { removePrescriberRoute, setPrescriberRoute } from "../../usecases/prescribers/manage-prescriber-routes.ts";
import { transact } from "../../usecases/write.ts";
import { withVault } from "../session.ts";

export type PrescriberRouteOptions = {
  sender?: string;
  npi?: string;
  practice?: string;
  url?: string;
  scriptVersion?: PharmacyVersion;
  fills?: boolean;
  cancels?: boolean;
  remove?: boolean;
};

/** `partner route` with `--url`: where messages to the prescribers of a sender go. */
export async function routeToPrescribers(
  { sender, npi, practice, url, scriptVersion, fills, cancels, remove }: PrescriberRouteOptions,
  account_id: string,
  env: NodeJS.ProcessEnv | undefined,
) {
  if (sender === undefined || npi !== undefined || practice !== undefined) {
    throw new WrongUsage("Give --url with --sender alone.");
  }
  const config = readConfig(env);
  // The service decides the same when it sends.
  const demo = readDemo(config.DATA_DIR) !== undefined && isLoopback(config.HOST);
  const loopback_ports = demo ? "any" : portsIn(config.SANDBOX_LOOPBACK_PORTS);
  const route = {
    account_id,
    sender: sender.trim(),
    url: url!,
    version: scriptVersion ?? "2017071",
    sends_fills: fills ?? false,
    sends_cancels: cancels ?? false,
  };
  return withVault(config, async ({ db, vault, now }) => {
    if (remove) {
      await transact({ db, vault }, (tx) => removePrescriberRoute(tx, account_id, route.sender));
      return { data: { account_id, sender: route.sender, removed: true }, text: "Route removed." };
    }
    const { signing_secret } = await transact({ db, vault }, (tx) =>
      setPrescriberRoute({ vault, loopback_ports }, tx, route, now),
    );
    const text = `${facts({ account_id, sender: route.sender, url: route.url, signing_secret })}\nThe secret is shown once. Give it to the network.`;
    return { data: { ...route, signing_secret }, text };
  });
}
