import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { type Config, publicAddress } from "./config.ts";

const ports = { BASE: "PORT", AUTH: "AUTH_PORT", SANDBOX_AUTH: "SANDBOX_AUTH_PORT" } as const;

/** Opens a listener's port and returns its public URL: the configured one, or that of the port. */
export async function listen(listener: FastifyInstance, config: Config, which: keyof typeof ports): Promise<string> {
  await listener.listen({ host: config.HOST, port: config[ports[which]] });
  return addressOf(config, which, (listener.server.address() as AddressInfo).port);
}

/** The public URL of a listener. If this process does not have it, another one with the same settings does. */
export const addressOf = (config: Config, which: keyof typeof ports, port = config[ports[which]]): string =>
  config[`${which}_URL`] || publicAddress(config, port);
