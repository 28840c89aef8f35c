import type { DashboardOrder, WorkRequest } from "@pestle/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { type Change, useChange } from "../../app/use-change.ts";
import { toast } from "../../ui/display/toast.tsx";

/** What is sent to have something done to an order: all but the revision, which is that of the page. */
export type Work = WorkRequest extends infer Each ? (Each extends unknown ? Omit<Each, "revision"> : never) : never;
export type DoWork = Change<[work: Work, done?: string], DashboardOrder>;

export const orderApi = ({ account_id, order_number }: { account_id: string; order_number: string }) =>
  `/dashboard/orders/${encodeURIComponent(account_id)}/${encodeURIComponent(order_number)}` as const;

/** An order's page. Each read is written down, so it is read when somebody comes or asks, and not by itself. */
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

/** What the checks and the card say at that moment can hold the order instead of moving it on. */
const mayHold: readonly Work["event"][] = ["approve_review", "ship"];

/** Has something done to the order as it is seen; what comes back is the page as it is then. */
export function useWork({ account_id, order, revision }: DashboardOrder): DoWork {
  const queries = useQueryClient();
  const path = orderApi({ account_id, order_number: order.order_number });
  return useChange(
    async (work: Work, done?: string) => {
      const body = { ...work, revision } as WorkRequest;
      const page = await api(`${path}/work`, { method: "POST", body });
      if (mayHold.includes(work.event) && page.order.order_status === "On Hold") {
        toast(`Held: ${page.exceptions.map(({ name }) => name).join(", ")}`, "bad");
      } else if (done !== undefined) toast(done);
      return page;
    },
    { after: (page) => queries.setQueryData([path], page) },
  );
}
