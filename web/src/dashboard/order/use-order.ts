import type { DashboardOrder, WorkRequest } from "@pestle/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { type Change, useChange } from "../../app/use-change.ts";
import { toast } from "../../ui/display/toast.tsx";

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

/** Sends work for the revision on screen. The response is the updated page. */
export function useWork({ account_id, order, revision }: DashboardOrder): DoWork {
  const queries = useQueryClient();
  const path = orderApi({ account_id, order_number: order.order_number });
  return useChange(
    async (work: Work, done?: string) => {
      const body = { ...work, revision } as WorkRequest;
      const page = await api(`${path}/work`, { method: "POST", body });
      if (mayHold.includes(work.event) && page.order.order_status === "On Hold") {
        toast(`On hold: ${page.exceptions.map(({ name }) => name).join(", ")}`, "bad");
      } else if (done !== undefined) toast(done);
      return page;
    },
    { after: (page) => queries.setQueryData([path], page) },
  );
}
