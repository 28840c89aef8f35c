import { say } from "../../ui/words/say.tsx";

const browsers = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const;
const systems = [
  [/Windows/, "Windows"],
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
] as const;

/** A short name for the browser's own description, which is long and says "Mozilla" for all of them. */
export function deviceName(agent: string | null): string {
  if (agent === null) return say("Unknown device");
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return agent.startsWith("pestle ") ? say("Command line") : agent.slice(0, 40);
  return system === undefined ? browser : say("{browser} on {system}", { browser, system });
}
