import { answerTo, createReceiver, type ReceiverOptions } from "./receiver.ts";

/** The part of Hono's context that we use, so that this package does not depend on it. */
type ContextLike = {
  readonly req: {
    readonly method: string;
    readonly raw: { readonly headers: Headers };
    arrayBuffer(): Promise<ArrayBuffer>;
  };
};

/** Receives webhooks in Hono: `app.post("/hook", receiveWebhooks(options))`, also after a body parser. */
export function receiveWebhooks(options: ReceiverOptions) {
  const receive = createReceiver(options);
  return ({ req }: ContextLike): Promise<Response> =>
    answerTo(receive, { method: req.method, headers: req.raw.headers, arrayBuffer: () => req.arrayBuffer() });
}
