// Preloaded by scripts/sdk/runtimes.ts: the last line of standard error is the processor time of the program, with Node's start.
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`${Math.round((user + system) / 1000)}\n`);
});
