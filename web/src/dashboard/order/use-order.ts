import type { DashboardOrder, WorkEvent, WorkRequest } from "@pestle/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiError, api } from "../../app/api.ts";
import { holdStep, leaveWithHeldStep, useHeldStep } from "../../app/held-step.ts";
import { type Change, useChange } from "../../app/use-change.ts";
import { toast } from "../../ui/display/toast.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";

/** A work request without its revision, which comes from the page. */
export type Work = WorkRequest extends infer Each ? (Each extends unknown ? Omit<Each, "revision"> : never) : never;
export type DoWork = Change<[work: Work, done?: string], DashboardOrder>;

export const orderApi = ({ account_id, order_number }: { account_id: string; order_number: string }) =>
  `/dashboard/orders/${encodeURIComponent(account_id)}/${encodeURIComponent(order_number)}` as const;

/** Loads an order. The server audits each read, so fetch only when the user opens or refreshes the page. */
export function useOrder(place: { account_id: string; order_number: string }) {
  const path = orderApi(place);
  return useQuery<DashboardOrder>({
    queryKey: [path],
    queryFn: ({ signal }) => api(path, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** These rerun the safety checks or charge the card, which can place the order on hold instead. */
const mayHold: readonly Work["event"][] = ["approve_review", "ship"];

/** Steps that one press takes, so the user can undo them for a while. The others ask for a reason first. */
const heldSteps: Partial<Record<WorkEvent, string>> = {
  approve_review: say("Approve review"),
  complete_fill: say("Complete fill"),
  verify_product: say("Verify and continue"),
  ship: say("Handed to carrier"),
  deliver: say("Mark delivered"),
};

/**
 * Sends work for the revision on screen. The response is the updated page. A step that can be undone is sent when its time
 * is over or the user leaves the order, and nothing else can be sent before it.
 */
export function useWork({ account_id, order, revision }: DashboardOrder): DoWork {
  const queries = useQueryClient();
  const { order_number } = order;
  const path = orderApi({ account_id, order_number });
  const held = useHeldStep();
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
      leaveWithHeldStep();
    };
  }, []);
  /** A message names the order if the user has left its page. */
  const named = (text: string) => (left.current ? say("Order {order_number}: {text}", { order_number, text }) : text);
  const change = useChange(
    async (work: Work, done?: string) => {
      const body = { ...work, revision } as WorkRequest;
      const page = await api(`${path}/work`, { method: "POST", body, keepalive: true }).catch((error: unknown) => {
        // The user has left the page that would show the error.
        const why = error instanceof ApiError ? error.message : say("Open the order to check the result.");
        if (left.current) toast(named(why), "bad");
        throw error;
      });
      if (mayHold.includes(work.event) && page.order.order_status === "On Hold") {
        const held_by = page.exceptions.map(({ name }) => sayName(name)).join(", ");
        toast(named(say("On hold: {exceptions}", { exceptions: held_by })), "bad");
      } else if (done !== undefined) toast(named(done));
      return page;
    },
    { after: (page) => queries.setQueryData([path], page) },
  );
  const own = orderPath({ account_id, order_number });
  // Another order's step can still be undone here. The next step on this order sends it.
  const busy = change.busy || held?.page === own;
  return {
    ...change,
    busy,
    run: async (work, done) => {
      if (busy) return undefined;
      const label = heldSteps[work.event];
      if (label === undefined) return change.run(work, done);
      change.forget();
      holdStep(label, own, async () => (await change.run(work, done)) !== undefined);
      return undefined;
    },
  };
}
