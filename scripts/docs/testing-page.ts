import { exceptionIds, exceptionRow, magicCards, magicPrescriberNames, magicStreets } from "@pestle/contract";
import { type HoldRecipe, holdRecipes } from "../../contract/src/sandbox/hold-recipes.ts";
import { code, fence, generated, page, table } from "./markdown.ts";

/** `order` and `act` print the status and the open exceptions. */
const HELPERS = `TOKEN=$(npx pestle token)
call() { # PATH BODY
  curl -s -H "Authorization: Bearer $TOKEN" -H "Accept: application/json" -H "Content-Type: application/json" \\
    -d "$2" "http://127.0.0.1:8080/v1$1"
}
prescribe() { # SIMULATION: sets PATIENT, and the prescription's id as RX
  ANSWER=$(call /simulate "$(jq -nc --argjson simulation "$1" '{simulation_type:"prescription",$simulation}')")
  PATIENT=$(jq -r .patient_id <<< "$ANSWER")
  RX=$(jq .prescription_id <<< "$ANSWER")
}
order() { # FIELDS: adds them to the smallest order, and sets ORDER
  BODY=$(jq -nc --arg patient_id "$PATIENT" --argjson rx "$RX" --argjson more "$1" \\
    '{shipping:{method_id:1},patient:{$patient_id},items:[{prescription_id:$rx}]} * $more')
  ANSWER=$(call /orders "$BODY")
  ORDER=$(jq -r .order_number <<< "$ANSWER")
  show <<< "$ANSWER"
}
act() { # ACTION
  call "/orders/$ORDER/partner_order_action_requests" "$1" | jq .order | show
}
show() { jq -r '[.order_status, .exceptions[].id] | join(" ")'; }`;

/** Each exception with commands that get it. `docs-snippets.test.ts` types them and compares what they print. */
export function testingPage() {
  return page(
    generated("`contract/src/sandbox`"),
    "# Test your integration\n",
    "You will get every hold, decline and lost parcel on purpose, so that your tests cover each of them before a patient does. Everything here runs in the sandbox; production knows no magic values. [The sandbox](../guides/sandbox.md) explains the simulations.\n",
    "## Magic values\n",
    table(
      ["where", "value", "what happens"],
      [
        ...Object.values(magicCards).map(({ token, meaning }) => ["`payment.token`", code(token), meaning]),
        ...Object.values(magicStreets).map(({ start, meaning }) => ["`street1` begins with", code(start), meaning]),
        ...Object.entries(magicPrescriberNames).map(([name, meaning]) => [
          "last name in `prescriber_name`",
          code(name.charAt(0).toUpperCase() + name.slice(1)),
          meaning,
        ]),
      ],
    ),
    "- **Cards**: any other token is accepted, such as `tok_visa`.\n- **Streets** work in any address: the order's, the prescription's or the patient's. Move the clock to see the parcel's scans: `npx pestle simulate clock --advance 14d`.\n- **Prescribers** with any other name approve, with the same refills. The answer comes within a few seconds. Only a prescription that was filled can be renewed, so move an order of it to `Shipped` first.\n",
    "## Every hold\n",
    "Each exception has a cause that you can create. The examples need `curl` and `jq` and these helpers:\n",
    fence("sh", HELPERS),
    "An order without a problem goes to the pharmacist:\n",
    fence("sh", "prescribe '{\"drug_name\":\"atorvastatin\"}'\norder '{}'"),
    fence("text", "Processing"),
    ...exceptionIds.flatMap((id) => {
      const { name, raised_when } = exceptionRow(id);
      return [
        `### ${id} ${name}\n`,
        `${raised_when} [How to resolve it](../exceptions.md#${id}-${slug(name)}).\n`,
        fence("sh", commands(holdRecipes[id])),
        fence("text", `On Hold ${id}`),
      ];
    }),
    "### Any hold on any order\n",
    "You can also raise an exception by hand, on an order that has not shipped. The cause is then missing, so the checks do not raise it again after you resolve it:\n",
    fence(
      "sh",
      "prescribe '{\"drug_name\":\"atorvastatin\"}'\norder '{}'\nnpx pestle simulate order $ORDER --exception 72",
    ),
    "## Every status\n",
    "Move an order to a status. It passes through every step in between, with its history and its events:\n",
    fence(
      "sh",
      "prescribe '{\"drug_name\":\"atorvastatin\"}'\norder '{}'\nfor STATUS in Filling Shipped Delivered; do npx pestle simulate order $ORDER --to $STATUS; done",
    ),
    "`--to Canceled` cancels it as the pharmacy would.\n",
    "## Answers that are hard to get\n",
    table(
      ["answer", "how to get it"],
      [
        ["401", "send a token that you changed by one letter, or a token of the other environment"],
        ["404", "ask for the order `0000000000`"],
        ["409", "send the same order twice within a minute, without an `Idempotency-Key`"],
        ["422 42299", "send another body with an `Idempotency-Key` that you used"],
        ["422", "[Errors](../errors.md) has a request for every code"],
        ["429", "send 60 requests at once with a sandbox credential: [rate limits](../guides/rate-limits.md)"],
        ["503, no answer", "point your client at a port where nothing listens"],
        ["a repeated event", "`npx pestle events resend EVENT_ID`"],
        ["an event that you have never seen", "`npx pestle trigger` sends a sample of every type"],
      ],
    ),
    "An order with `?dry_run=true` gets every error and hold without being saved. To test the same prescription in every run, give a seed: `npx pestle simulate prescription --seed 42`.\n",
  );
}

function commands({ prescriptions, order, twice, action, automatic }: HoldRecipe): string {
  const quoted = order.replace(/\$RX1?/g, (name) => `'${name}'`);
  const lines = [
    ...(automatic ? ['TOKEN=$(npx pestle token --partner "Juniper Care") # Automatic Processing'] : []),
    ...prescriptions.flatMap((simulation, index) => [
      ...(index === 0 ? [] : ["RX1=$RX"]),
      `prescribe '${JSON.stringify(index === 0 ? simulation : sameAs(simulation))}'`.replace(
        '"$PATIENT"',
        `"'$PATIENT'"`,
      ),
    ]),
    ...(twice ? ["order '{}'"] : []),
    `order '${quoted}'`,
    ...(action === undefined ? [] : [`act '${JSON.stringify(action)}'`]),
    ...(automatic ? ["TOKEN=$(npx pestle token)"] : []),
  ];
  return lines.join("\n");
}

/** The next prescription of the same patient. */
const sameAs = (simulation: object) => ({ ...simulation, patient: { patient_id: "$PATIENT" } });

const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
