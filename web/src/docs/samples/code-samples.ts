import { curlSample } from "./curl-sample.ts";
import type { DescribedCall } from "./described-call.ts";
import { pythonSample } from "./python-sample.ts";
import { sdkSample } from "./sdk-sample.ts";

export type CodeSample = { language: "curl" | "JavaScript" | "Python"; code: string };

/** One request in each language. The SDK has no method for what a network sends, and gets tokens by itself. */
export function codeSamples(call: DescribedCall): CodeSample[] {
  const javascript = sdkSample(call);
  return [
    { language: "curl", code: curlSample(call) },
    ...(javascript === undefined ? [] : [{ language: "JavaScript" as const, code: javascript }]),
    { language: "Python", code: pythonSample(call) },
  ];
}
