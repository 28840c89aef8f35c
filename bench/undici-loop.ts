import { Agent } from "undici";

export type LoopRun = {
  url: string;
  bodies: string[];
  headers: Record<string, string>;
  concurrency: number;
  count: number;
};

/** Posts the same bodies repeatedly and does nothing else, to measure the client alone. Started with fork. */
process.on("message", (run: LoopRun) => {
  post(run).then(
    (per_second) => process.send?.({ per_second }),
    (error: Error) => process.send?.({ failed: error.message }),
  );
});

async function post({ url, bodies, headers, concurrency, count }: LoopRun): Promise<number> {
  const { origin, pathname } = new URL(url);
  const agent = new Agent({ pipelining: 1 });
  let next = 0;
  const begin_ms = performance.now();
  const drive = async () => {
    while (next < count) {
      const body = bodies[next++ % bodies.length]!;
      const answer = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, drive));
  const per_second = (count / (performance.now() - begin_ms)) * 1000;
  await agent.close();
  return per_second;
}
