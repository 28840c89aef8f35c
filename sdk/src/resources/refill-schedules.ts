import type { Call, CallOptions, WriteOptions } from "../client.ts";
import type { RefillSchedule, RefillScheduleInput } from "../generated/records.ts";
import { type Listing, listing } from "../listing.ts";
import type { AnswerOf, QueryOf, Sent } from "../operations.ts";

export type RefillScheduleFilter = Omit<QueryOf<"listRefillSchedules">, "cursor">;

export type RefillSchedules = {
  /** From now on the service orders the fills of a prescription. It needs the patient's consent. */
  create(schedule: Sent<RefillScheduleInput>, options?: WriteOptions): Promise<RefillSchedule>;
  /** Newest first. */
  list(filter?: RefillScheduleFilter, options?: CallOptions): Listing<RefillSchedule, AnswerOf<"listRefillSchedules">>;
  get(schedule_id: string, options?: CallOptions): Promise<RefillSchedule>;
  /** Leaves the next fill out. */
  skip(schedule_id: string, options?: WriteOptions): Promise<RefillSchedule>;
  pause(schedule_id: string, options?: WriteOptions): Promise<RefillSchedule>;
  /** Also after the service paused it because an order was refused or held. */
  resume(schedule_id: string, options?: WriteOptions): Promise<RefillSchedule>;
  cancel(schedule_id: string, options?: WriteOptions): Promise<RefillSchedule>;
  /** Orders the next fill today. If the order is refused, it throws with the errors of `orders.create`. */
  fillNow(schedule_id: string, options?: WriteOptions): Promise<RefillSchedule>;
};

export function refillSchedulesOf(call: Call): RefillSchedules {
  type Action =
    | "skipRefill"
    | "pauseRefillSchedule"
    | "resumeRefillSchedule"
    | "cancelRefillSchedule"
    | "fillRefillNow";
  const act = (operation: Action) => (schedule_id: string, options?: WriteOptions) =>
    call(operation, { path: { schedule_id }, body: {} }, options);
  return {
    create: (body, options) => call("createRefillSchedule", { body }, options),
    list: (filter = {}, options) =>
      listing(
        (cursor) => call("listRefillSchedules", { query: { ...filter, cursor } }, options),
        ({ refill_schedules }) => refill_schedules,
      ),
    get: (schedule_id, options) => call("getRefillSchedule", { path: { schedule_id } }, options),
    skip: act("skipRefill"),
    pause: act("pauseRefillSchedule"),
    resume: act("resumeRefillSchedule"),
    cancel: act("cancelRefillSchedule"),
    fillNow: act("fillRefillNow"),
  };
}
