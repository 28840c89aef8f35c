import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "./config.ts";

const ports = { BASE: "PORT", AUTH: "AUTH_PORT", SANDBOX_AUTH: "SANDBOX_AUTH_PORT" } as const;

/** Opens a listener's port and returns its public URL: the configured one, or that of the port. */
export async function listen(listener: FastifyInstance, config: Config, which: keyof typeof ports): Promise<string> {
  await listener.listen({ host: config.HOST, port: config[ports[which]] });
  return config[`${which}_URL`] || ownAddress(config, (listener.server.address() as AddressInfo).port);
}

function ownAddress(config: Config, port: number): string {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  return `${config.TLS_CERT_FILE === "" ? "http" : "https"}://${host}:${port}`;
}
