import { orderActions, orderStatusReasons } from "@pestle/contract";
import { answer, rendered } from "../answer.ts";
import type { ReadHandler } from "../partner-api.ts";

const actions = answer(200, rendered(JSON.stringify({ order_actions: orderActions })));
const reasons = answer(200, rendered(JSON.stringify({ order_status_reasons: orderStatusReasons })));

export const listOrderActions: ReadHandler = () => actions;
export const listOrderStatusReasons: ReadHandler = () => reasons;
