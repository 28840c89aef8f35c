import { type LowStock, STOCK_DAYS } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Bars } from "../../ui/charts/bars.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { useFigures } from "./use-figures.ts";

/** The rest is on the screens that the cards link to. */
const MOST_SHOWN = 6;
const SOON_DAYS = 3;

/** Why orders are on hold. */
export function ExceptionsChart() {
  return (
    <Card title={say("On hold by reason")} actions={<Link to="/exceptions">{say("All exceptions")}</Link>}>
      <Loaded query={useFigures()} lines={6}>
        {({ exceptions }) => (
          <Bars
            label={say("Orders on hold by reason")}
            of={say("Reason")}
            series={[{ name: say("Orders"), tone: "wait" }]}
            rows={exceptions.slice(0, MOST_SHOWN).map(({ exception_id, name, count }) => ({
              name: sayName(name),
              shown: (
                <Link to="/exceptions" search={{ exception_id: String(exception_id) } as never}>
                  {sayName(name)}
                </Link>
              ),
              values: [count],
            }))}
            empty={say("No orders on hold.")}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** Products that sell out soon. */
export function StockChart() {
  return (
    <Card title={say("Stock that runs out")} actions={<Link to="/stock">{say("Stock")}</Link>}>
      <Loaded query={useFigures()} lines={6}>
        {({ stock }) => (
          <Bars
            label={say("Days until a product is out of stock")}
            of={say("Product")}
            series={[
              { name: say("{days} days or less", { days: SOON_DAYS }), tone: "bad" },
              { name: say("Up to {days} days", { days: STOCK_DAYS }), tone: "wait" },
            ]}
            most={STOCK_DAYS}
            rows={stock.slice(0, MOST_SHOWN).map((row) => ({
              name: `${row.name}, ${row.partner}`,
              shown: (
                <Link to="/stock" search={{ account_id: row.account_id } as never}>
                  {row.name}
                </Link>
              ),
              values: row.days_left <= SOON_DAYS ? [row.days_left, 0] : [0, row.days_left],
              text: lastsText(row),
              about: aboutStock(row),
            }))}
            empty={say("No product runs out in the next {days} days.", { days: STOCK_DAYS })}
          />
        )}
      </Loaded>
    </Card>
  );
}

const lastsText = ({ available_units, days_left }: LowStock) =>
  available_units <= 0 ? say("Out of stock") : days_left === 0 ? say("Less than a day") : counted(days_left, "day");

const aboutStock = ({ partner, available_units, shipped_units, owed_units }: LowStock) =>
  [
    partner,
    say("{units} available", { units: counted(available_units, "unit") }),
    say("{count} shipped in {days} days", { count: numberText(shipped_units), days: STOCK_DAYS }),
    ...(owed_units > 0 ? [say("{count} on back order", { count: numberText(owed_units) })] : []),
  ].join(" · ");
