import type { Host } from "./year-world.ts";

type Break = (host: Host) => Promise<() => Promise<void>>;

/** Changes the rows of a table before the database stores them, as a fault in the service would. */
const onRows =
  (table: string, when: "insert" | "insert or update" | "update", change: string): Break =>
  async ({ raw }) => {
    const name = `broken_${table}`;
    await raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${change} return new; end $$`);
    // After all other triggers of the table, which run by name.
    await raw(`create trigger zz_${name} before ${when} on ${table} for each row execute function ${name}()`);
    return async () => {
      await raw(`drop trigger zz_${name} on ${table}`);
      await raw(`drop function ${name}()`);
    };
  };

/**
 * Rules of the year, each broken on purpose where the service keeps it. The campaign must catch every one, by a fault that
 * names the rule.
 */
export const brokenYears: Record<string, { breakRule: Break; caught: RegExp }> = {
  "a refund is booked at half its amount": {
    breakRule: onRows(
      "money_entry",
      "insert",
      "if new.kind = 'refund' then new.amount_cents := new.amount_cents / 2; end if;",
    ),
    caught: /^\w+: refunds in the statements of an order/,
  },
  "an item costs a cent more than its price": {
    breakRule: onRows("order_item", "insert", "new.price_cents := new.price_cents + 1;"),
    caught: /^\w+: price of an order/,
  },
  "the events of parcels get lost": {
    breakRule: onRows("webhook_event", "insert", "if new.event_type = 'SHIPMENT_UPDATED' then return null; end if;"),
    caught: /^\w+: the sequence of an order/,
  },
  "a schedule announces nothing": {
    breakRule: onRows("webhook_event", "insert", "if new.event_type = 'REFILL_UPCOMING' then return null; end if;"),
    caught: /^\w+: an order of a schedule that announced no fill/,
  },
  "fills are not counted": {
    breakRule: onRows("prescription", "insert or update", "new.units_ordered := 0;"),
    caught: /^\w+: a fill beyond the refills/,
  },
  "prescriptions do not expire": {
    breakRule: onRows("prescription", "insert or update", "new.expires_at := '2199-01-01';"),
    caught: /^\w+: a fill on \S+, after the prescription's last day/,
  },
  "a pause has no reason": {
    breakRule: onRows("refill_schedule", "update", "new.paused_because := null;"),
    caught: /^\w+: a schedule is paused without a reason/,
  },
  "a schedule stops without a word": {
    breakRule: onRows(
      "refill_schedule",
      "update",
      "if new.status = 'active' and new.last_order_number is distinct from old.last_order_number then new.due_at := '2199-01-01'; end if;",
    ),
    caught: /^\w+: a patient ran out on/,
  },
  "a pause of the partner is ignored": {
    breakRule: onRows(
      "refill_schedule",
      "update",
      "if new.status = 'paused' and new.paused_because is null then new.status := 'active'; new.due_at := old.due_at; end if;",
    ),
    caught: /^\w+: a paused schedule is active by itself/,
  },
  "a drug of schedule 2 counts as any other": {
    breakRule: async (host) => {
      const undo = [
        await onRows("prescription", "insert or update", "new.drug_schedule := '0';")(host),
        await onRows("product", "insert or update", "new.drug_schedule := '0';")(host),
      ];
      return async () => {
        for (const one of undo) await one();
      };
    },
    caught: /^\w+: a schedule with schedule 2 got 201/,
  },
};
