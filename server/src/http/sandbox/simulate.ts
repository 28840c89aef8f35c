import { scriptFormat } from "../../formats/formats.ts";
import { simulate as simulateInAccount } from "../../usecases/sandbox/simulate.ts";
import type { WriteHandler } from "../partner-api.ts";

export const simulate: WriteHandler = (deps, call, body) => simulateInAccount(deps, scriptFormat, call, body);
