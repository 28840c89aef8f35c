import type { DashboardPatient } from "@pestle/contract";

/** Something that happened to the patient's treatment, or that is due. */
export type Moment = {
  at: string;
  kind: "prescribed" | "ordered" | "shipped" | "runs_out";
  what: string;
  order_number: string | null;
};

/** Prescriptions, orders, fills and the ends of supplies in one list, newest first. */
export function patientMoments({
  prescriptions,
  orders,
  fills,
}: Pick<DashboardPatient, "prescriptions" | "orders" | "fills">): Moment[] {
  const moments: Moment[] = [
    ...prescriptions.map(({ receive_date, drug_name }) => ({
      at: receive_date,
      kind: "prescribed" as const,
      what: drug_name,
      order_number: null,
    })),
    ...orders.map(({ created_at, drug_names, order_number }) => ({
      at: created_at,
      kind: "ordered" as const,
      what: drug_names.join(", "),
      order_number,
    })),
    ...fills.flatMap(({ shipped_at, supply_ends_at, name, order_number }) => [
      ...(shipped_at === null ? [] : [{ at: shipped_at, kind: "shipped" as const, what: name, order_number }]),
      ...(supply_ends_at === null ? [] : [{ at: supply_ends_at, kind: "runs_out" as const, what: name, order_number }]),
    ]),
  ];
  return moments.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
