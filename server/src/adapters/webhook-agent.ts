import type { Environment } from "@pestle/contract";
import { Agent } from "undici";
import { type GuardOptions, guardedConnector } from "./webhook-guard.ts";

/** The connections to the endpoints of one environment. */
export const webhookAgent = (environment: Environment, options: GuardOptions): Agent =>
  new Agent({
    connect: guardedConnector(environment, options),
    pipelining: 1,
    // The client's sweep ends slow requests, including slowly dripping responses.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
